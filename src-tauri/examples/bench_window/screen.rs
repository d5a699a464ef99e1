//! What is on the display, and since when it can be read.

use anyhow::Context as _;
use gtk::gdk;
use gtk::gdk::prelude::*;
use std::time::{Duration, Instant};

/// The brightness of each pixel, row by row.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    pixels: Vec<u8>,
}

/// The display this process was started on.
pub struct Screen {
    root: gdk::Window,
}

impl Screen {
    /// Opens it.
    pub fn open() -> anyhow::Result<Self> {
        gtk::init().context("open the display")?;
        let screen = gdk::Screen::default().context("no screen")?;
        Ok(Self { root: screen.root_window().context("no root window")? })
    }

    /// The frames that differ from the one before, until nothing has changed for `quiet`, at most `limit`, since
    /// `begun`.
    pub fn watch(
        &self,
        begun: Instant,
        quiet: Duration,
        limit: Duration,
    ) -> anyhow::Result<Vec<(Duration, Frame)>> {
        let mut frames: Vec<(Duration, Frame)> = Vec::new();
        let mut changed = begun;
        while begun.elapsed() < limit && (frames.len() < 2 || changed.elapsed() < quiet) {
            let seen = begun.elapsed();
            let frame = self.frame()?;
            if frames.last().is_none_or(|(_, last)| *last != frame) {
                frames.push((seen, frame));
                changed = Instant::now();
            }
        }
        Ok(frames)
    }

    fn frame(&self) -> anyhow::Result<Frame> {
        let (width, height) = (self.root.width(), self.root.height());
        let picture = self.root.pixbuf(0, 0, width, height).context("read the screen")?;
        let bytes = picture.read_pixel_bytes();
        let row = usize::try_from(picture.rowstride())?;
        let channels = usize::try_from(picture.n_channels())?;
        let width = usize::try_from(width)?;
        let pixels = bytes
            .chunks(row)
            .flat_map(|row| row.chunks_exact(channels).take(width))
            // The green channel carries most of the brightness.
            .map(|pixel| pixel.get(1).copied().unwrap_or_default())
            .collect();
        Ok(Frame { width, pixels })
    }
}

/// When the last frame's writing was there: the first frame in which nine tenths of its edges are as they stayed.
pub fn readable_since(frames: &[(Duration, Frame)]) -> Option<Duration> {
    const EDGE: u8 = 40;
    const SAME: u8 = 8;
    let (_, last) = frames.last()?;
    let edges: Vec<usize> = last
        .pixels
        .windows(2)
        .enumerate()
        .filter(|(at, pair)| {
            at % last.width != last.width - 1 && matches!(pair, [left, right] if left.abs_diff(*right) > EDGE)
        })
        .map(|(at, _)| at)
        .collect();
    let settled = |frame: &Frame| {
        let same = edges.iter().filter(|at| match (frame.pixels.get(**at), last.pixels.get(**at)) {
            (Some(then), Some(now)) => then.abs_diff(*now) <= SAME,
            (None, _) | (_, None) => false,
        });
        same.count() * 10 >= edges.len() * 9
    };
    frames.iter().find(|(_, frame)| settled(frame)).map(|(seen, _)| *seen)
}

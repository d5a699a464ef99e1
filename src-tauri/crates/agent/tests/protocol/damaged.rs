//! Bodies that were damaged on their way: nothing panics, cuts don't matter, and a failed reply runs nothing.

use crate::cases::bodies;
use assent_agent::model::{BodyEnd, CallIds, DecodedReply, Decoder, StopReason, Wire};
use proptest::prelude::*;

fn decode<'a>(wire: Wire, pieces: impl Iterator<Item = &'a [u8]>, end: &BodyEnd) -> DecodedReply {
    let mut decoder = Decoder::new(wire, ["read_file".to_owned()].into(), CallIds::new([].into(), 3));
    for piece in pieces {
        decoder.push(piece);
    }
    decoder.finish(end)
}

fn check(body: &[u8], cut: usize) -> Result<(), TestCaseError> {
    for wire in [Wire::ChatCompletions, Wire::Messages] {
        for end in [BodyEnd::Whole, BodyEnd::Broken("reset".to_owned())] {
            let whole = decode(wire, std::iter::once(body), &end);
            prop_assert_eq!(&decode(wire, body.chunks(cut), &end), &whole);
            let reply = whole.reply;
            let runs = matches!(reply.stop, StopReason::End | StopReason::ToolCalls);
            prop_assert!(runs || reply.calls.is_empty());
            prop_assert_eq!(reply.error.is_some(), reply.stop == StopReason::Error);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes(body in proptest::collection::vec(any::<u8>(), 0..200), cut in 1usize..12) {
        check(&body, cut)?;
    }

    #[test]
    fn any_events(
        events in proptest::collection::vec("data: \\{\"(choices|type|error|delta)\":[\\[\\{\"a-z0-9,:\\}\\]]{0,30}\\}", 0..6),
        cut in 1usize..12,
    ) {
        check(events.join("\n\n").as_bytes(), cut)?;
    }

    #[test]
    fn a_real_body_with_one_wound(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        wound in 0u8..4,
        byte in any::<u8>(),
        cut in 1usize..12,
    ) {
        let bodies = bodies();
        let mut body = which.get(&bodies).clone();
        if !body.is_empty() {
            let place = place.index(body.len());
            match wound {
                0 => body[place] = byte,
                1 => { body.remove(place); }
                2 => body.insert(place, byte),
                _ => body.truncate(place),
            }
        }
        check(&body, cut)?;
    }
}

//! What of a reply goes into the history.

use super::{AssistantMessage, Reply, StopReason};

/// Most bytes of the text, and of the thinking, of a reply that was cut short. It is sent again with every later
/// request, so a server that floods must not make it grow without end; no model writes as much in one reply.
const MOST_OF_A_CUT_REPLY: usize = 512 * 1024;

impl Reply {
    /// The reply as it goes into the history: `None` where there is nothing to keep, and nothing must be kept
    /// then. Calls of a failed or cut reply are not among it; they must neither run nor be replayed.
    #[must_use]
    pub fn to_message(&self) -> Option<AssistantMessage> {
        let interrupted = match self.stop {
            StopReason::End | StopReason::ToolCalls => false,
            StopReason::Length | StopReason::ContentFilter | StopReason::Error => true,
        };
        let text = match &self.refusal {
            Some(refusal) if self.text.trim().is_empty() => refusal,
            Some(_) | None => &self.text,
        };
        let calls = if interrupted { Vec::new() } else { self.calls.clone() };
        if text.trim().is_empty() && calls.is_empty() && !self.resume {
            return None;
        }
        let kept = |text: &String| if interrupted { ends_of(text) } else { text.clone() };
        Some(AssistantMessage {
            text: kept(text),
            calls,
            reasoning: self.reasoning.as_ref().map(kept),
            replay: self.replay.clone().filter(|_| !interrupted),
            interrupted,
        })
    }
}

/// The text, or its beginning and its end with a word on what is missing between them.
fn ends_of(text: &str) -> String {
    if text.len() <= MOST_OF_A_CUT_REPLY {
        return text.to_owned();
    }
    let half = MOST_OF_A_CUT_REPLY / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(half))..).unwrap_or_default();
    let left_out = text.len().saturating_sub(head.len().saturating_add(tail.len()));
    format!("{head}\n[{left_out} bytes left out]\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::{MOST_OF_A_CUT_REPLY, Reply, StopReason};

    fn reply(stop: StopReason, text: &str) -> Reply {
        Reply { stop, text: text.to_owned(), reasoning: Some(text.to_owned()), ..Reply::default() }
    }

    /// R3: what was streamed is kept; a flood is kept at both ends only.
    #[test]
    fn a_flood_that_was_cut_is_kept_at_both_ends() {
        let flood = format!("begin{}end", "é\n".repeat(MOST_OF_A_CUT_REPLY));
        for stop in [StopReason::Length, StopReason::ContentFilter, StopReason::Error] {
            let kept = reply(stop, &flood).to_message().unwrap();
            for text in [kept.text, kept.reasoning.unwrap()] {
                assert!(text.len() < MOST_OF_A_CUT_REPLY + 64, "{}", text.len());
                assert!(text.starts_with("begin") && text.ends_with("end"));
                assert!(text.contains("\n[1048584 bytes left out]\n"), "{stop:?}");
            }
            assert!(kept.interrupted);
            assert_eq!(reply(stop, "short").to_message().unwrap().text, "short");
        }
        let whole = reply(StopReason::End, &flood).to_message().unwrap();
        assert!(!whole.interrupted && whole.text == flood, "an answer is never cut");
    }
}

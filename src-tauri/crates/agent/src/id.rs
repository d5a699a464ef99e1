//! Names for sessions, runs and approvals: unguessable, and in the order in which they were made.

/// `TIME-RANDOM`: 11 hexadecimal digits of ms since the epoch, 20 random ones.
///
/// # Errors
/// When the system gives no random numbers.
pub fn new_id(now_ms: u64) -> Result<String, NoRandomness> {
    let mut random = [0_u8; 10];
    getrandom::fill(&mut random).map_err(|error| NoRandomness(error.to_string()))?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{now_ms:011x}-{digits}"))
}

/// The system gives no random numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("get random numbers from the system: {0}")]
pub struct NoRandomness(String);

#[cfg(test)]
mod tests {
    use super::new_id;

    #[test]
    fn ids_sort_by_time_and_never_repeat() {
        let (early, late) = (new_id(1_000).unwrap(), new_id(2_000).unwrap());
        assert!(early < late);
        assert_ne!(early, new_id(1_000).unwrap());
        assert_eq!(early.len(), 32);
    }
}

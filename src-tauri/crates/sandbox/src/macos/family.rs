//! Who belongs to a command's tree, told from looks at the whole process table.
//!
//! The kernel numbers each process once for all and keeps with it the number of the one that started it, whatever
//! becomes of that one. So a process belongs to the tree if its starter does, even where the starter is long gone; and
//! if it is in the command's session, whose number isn't given again as long as the command isn't collected. What a look
//! misses is a process that left the session and whose starter both began and ended between two looks; a look follows
//! each start that the kernel tells of, so that time is short.

use std::collections::HashSet;

/// One process of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its id.
    pub pid: i32,
    /// Its number, never given again.
    pub number: u64,
    /// The number of the process that started it.
    pub starter: u64,
    /// Its session.
    pub session: i32,
    /// Whether it ended and only waits to be collected.
    pub ended: bool,
}

/// A command's tree.
#[derive(Clone, Debug)]
pub struct Family {
    leader: i32,
    known: HashSet<u64>,
}

impl Family {
    /// The tree of a command that leads its session.
    #[must_use]
    pub fn of(leader: i32) -> Self {
        Self { leader, known: HashSet::new() }
    }

    /// Takes in a look; gives those of the tree that live.
    pub fn living(&mut self, look: &[Seen]) -> Vec<Seen> {
        // One may come before its starter: go over it until nobody new turns up.
        loop {
            let before = self.known.len();
            for seen in look {
                let belongs = seen.pid == self.leader || seen.session == self.leader;
                if belongs || self.known.contains(&seen.starter) {
                    self.known.insert(seen.number);
                }
            }
            if self.known.len() == before {
                break;
            }
        }
        look.iter().filter(|seen| !seen.ended && self.known.contains(&seen.number)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(pid: i32, number: u64, starter: u64, session: i32) -> Seen {
        Seen { pid, number, starter, session, ended: false }
    }

    fn pids(family: &mut Family, look: &[Seen]) -> Vec<i32> {
        family.living(look).iter().map(|seen| seen.pid).collect()
    }

    /// R52: whoever started a process, it stays in the tree when that one is gone, in whatever session it is.
    #[test]
    fn a_double_fork_stays_in_the_tree() {
        let mut family = Family::of(10);
        let others = [seen(1, 1, 0, 1), seen(5, 50, 1, 5), seen(6, 60, 50, 5)];
        let look =
            [&others[..], &[seen(10, 100, 60, 10), seen(12, 102, 101, 12), seen(11, 101, 100, 10)]].concat();
        assert_eq!(pids(&mut family, &look), [10, 12, 11]);
        // The one in between is gone, and the other left for a session of its own.
        let look = [&others[..], &[seen(10, 100, 60, 10), seen(12, 102, 101, 12)]].concat();
        assert_eq!(pids(&mut family, &look), [10, 12]);
        // It starts one more.
        let look = [&others[..], &[seen(13, 103, 102, 13)]].concat();
        assert_eq!(pids(&mut family, &look), [13]);
    }

    /// R52: one that was never seen with its starter is found by its session.
    #[test]
    fn a_session_holds_together() {
        let mut family = Family::of(10);
        assert_eq!(pids(&mut family, &[seen(14, 104, 999, 10), seen(15, 105, 999, 15)]), [14]);
    }

    /// R52: an id that is given again means somebody else.
    #[test]
    fn an_id_that_is_given_again() {
        let mut family = Family::of(10);
        let tree = [seen(10, 100, 60, 10), seen(11, 101, 100, 11)];
        assert_eq!(pids(&mut family, &tree), [10, 11]);
        assert_eq!(pids(&mut family, &[tree[0], seen(11, 200, 1, 11)]), [10]);
    }

    /// R52: one that ended is nobody to end, but what it started is.
    #[test]
    fn an_ended_one_doesnt_count() {
        let mut family = Family::of(10);
        let ended = Seen { ended: true, ..seen(10, 100, 60, 10) };
        assert_eq!(pids(&mut family, &[ended, seen(12, 102, 100, 12)]), [12]);
    }
}

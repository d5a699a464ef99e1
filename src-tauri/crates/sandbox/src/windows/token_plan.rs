//! What is taken from the token that a command runs with, as data. These are limits, not a profile: nothing in the
//! workspace is protected or hidden.

/// How a command's token differs from the app's own (`CreateRestrictedToken`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPlan {
    /// Every privilege but `SeChangeNotifyPrivilege` goes (`DISABLE_MAX_PRIVILEGE`).
    pub without_privileges: bool,
    /// Groups that only deny from here on, by their SIDs.
    pub deny_only: &'static [&'static str],
    /// The integrity level, by its SID: medium, never the app's own if that is higher.
    pub integrity: &'static str,
}

/// The plan for every confined command.
pub const TOKEN: TokenPlan = TokenPlan {
    without_privileges: true,
    // Administrators, Backup Operators, Power Users, Remote Management Users, Hyper-V Administrators.
    deny_only: &["S-1-5-32-544", "S-1-5-32-551", "S-1-5-32-547", "S-1-5-32-580", "S-1-5-32-578"],
    integrity: "S-1-16-8192",
};

#[cfg(test)]
mod tests {
    use super::*;

    /// R50
    #[test]
    fn the_token_is_weaker_than_the_apps() {
        insta::assert_debug_snapshot!(TOKEN);
    }
}

//! The token a limited command runs with.

use super::sys::{check, owned, size_of_u32, wide};
use super::token_plan::TokenPlan;
use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::ConvertStringSidToSidW;
use windows_sys::Win32::Security::{
    CheckTokenMembership, CreateRestrictedToken, DISABLE_MAX_PRIVILEGE, GetSidSubAuthority,
    GetSidSubAuthorityCount, GetTokenInformation, PSID, SID_AND_ATTRIBUTES, SetTokenInformation,
    TOKEN_ADJUST_DEFAULT, TOKEN_ASSIGN_PRIMARY, TOKEN_DUPLICATE, TOKEN_MANDATORY_LABEL, TOKEN_PRIVILEGES,
    TOKEN_QUERY, TokenIntegrityLevel, TokenPrivileges,
};
use windows_sys::Win32::System::SystemServices::SE_GROUP_INTEGRITY;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// This process's token, weakened as planned.
pub fn restricted(plan: &TokenPlan) -> io::Result<OwnedHandle> {
    let own = own_token()?;
    let groups = plan.deny_only.iter().map(|text| Sid::parse(text)).collect::<io::Result<Vec<_>>>()?;
    let disabled: Vec<_> =
        groups.iter().map(|group| SID_AND_ATTRIBUTES { Sid: group.0, Attributes: 0 }).collect();
    let flags = if plan.without_privileges { DISABLE_MAX_PRIVILEGE } else { 0 };
    let count = u32::try_from(disabled.len()).unwrap_or(u32::MAX);
    let mut token: HANDLE = std::ptr::null_mut();
    // SAFETY: the list is as long as said, its SIDs live as long as the call, and the place for the token is writable.
    check(unsafe {
        CreateRestrictedToken(
            own.as_raw_handle(),
            flags,
            count,
            disabled.as_ptr(),
            0,
            std::ptr::null(),
            0,
            std::ptr::null(),
            &raw mut token,
        )
    })?;
    // SAFETY: the call just made it.
    let token = unsafe { owned(token) }?;
    lower_integrity(&token, plan.integrity)?;
    Ok(token)
}

/// How many privileges this process's token has.
pub fn own_privileges() -> io::Result<u32> {
    let buffer = information(&own_token()?, TokenPrivileges)?;
    // SAFETY: the class gives this structure, and the buffer is aligned for it.
    Ok(unsafe { &*buffer.as_ptr().cast::<TOKEN_PRIVILEGES>() }.PrivilegeCount)
}

/// Whether this process counts as a member of a group.
pub fn is_member(group: &str) -> io::Result<bool> {
    let group = Sid::parse(group)?;
    let mut member = 0;
    // SAFETY: no token means this thread's own; the SID is valid and the place writable.
    check(unsafe { CheckTokenMembership(std::ptr::null_mut(), group.0, &raw mut member) })?;
    Ok(member != 0)
}

fn own_token() -> io::Result<OwnedHandle> {
    let rights = TOKEN_DUPLICATE | TOKEN_ASSIGN_PRIMARY | TOKEN_QUERY | TOKEN_ADJUST_DEFAULT;
    let mut token: HANDLE = std::ptr::null_mut();
    // SAFETY: this process, and a writable place.
    check(unsafe { OpenProcessToken(GetCurrentProcess(), rights, &raw mut token) })?;
    // SAFETY: the call just made it.
    unsafe { owned(token) }
}

/// Lowers the level, and never raises it: the system refuses that anyway.
fn lower_integrity(token: &OwnedHandle, level: &str) -> io::Result<()> {
    let wanted = Sid::parse(level)?;
    let buffer = information(token, TokenIntegrityLevel)?;
    // SAFETY: the class gives this structure, and the buffer is aligned for it.
    let present = unsafe { &*buffer.as_ptr().cast::<TOKEN_MANDATORY_LABEL>() }.Label.Sid;
    if last_authority(present) <= last_authority(wanted.0) {
        return Ok(());
    }
    let label = TOKEN_MANDATORY_LABEL {
        Label: SID_AND_ATTRIBUTES { Sid: wanted.0, Attributes: SE_GROUP_INTEGRITY.cast_unsigned() },
    };
    let size = size_of_u32::<TOKEN_MANDATORY_LABEL>();
    // SAFETY: the structure is the one that the class takes, and its SID lives as long as the call.
    check(unsafe {
        SetTokenInformation(token.as_raw_handle(), TokenIntegrityLevel, (&raw const label).cast(), size)
    })
}

/// A class of information about a token, in a buffer aligned for pointers.
fn information(token: &OwnedHandle, class: i32) -> io::Result<Vec<u64>> {
    let mut needed = 0;
    // SAFETY: no buffer of no length only asks for the length; it fails, as it should.
    unsafe { GetTokenInformation(token.as_raw_handle(), class, std::ptr::null_mut(), 0, &raw mut needed) };
    let words = usize::try_from(needed).unwrap_or(0).div_ceil(size_of::<u64>()).max(8);
    let mut buffer = vec![0_u64; words];
    let room = u32::try_from(words.saturating_mul(size_of::<u64>())).unwrap_or(u32::MAX);
    // SAFETY: the buffer is writable and as long as said.
    check(unsafe {
        GetTokenInformation(token.as_raw_handle(), class, buffer.as_mut_ptr().cast(), room, &raw mut needed)
    })?;
    Ok(buffer)
}

/// The last number of a SID: for a label, its level.
fn last_authority(sid: PSID) -> u32 {
    // SAFETY: the SID is valid, so its count and the number at its last place are readable.
    unsafe {
        let count = *GetSidSubAuthorityCount(sid);
        *GetSidSubAuthority(sid, u32::from(count.saturating_sub(1)))
    }
}

/// A SID that the system made from its text.
#[derive(Debug)]
struct Sid(PSID);

impl Sid {
    fn parse(text: &str) -> io::Result<Self> {
        let text = wide(text)?;
        let mut sid: PSID = std::ptr::null_mut();
        // SAFETY: a valid text and a writable place.
        check(unsafe { ConvertStringSidToSidW(text.as_ptr(), &raw mut sid) })?;
        Ok(Self(sid))
    }
}

impl Drop for Sid {
    fn drop(&mut self) {
        // SAFETY: `ConvertStringSidToSidW` made it for this call.
        unsafe { LocalFree(self.0) };
    }
}

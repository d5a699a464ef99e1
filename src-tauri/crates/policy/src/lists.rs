//! What is always in force, as lists for people: made from the tables that decide.

use crate::path;
use crate::request::Language;

/// Paths whose change always asks: `*` stands for any characters, a final `/` for everything beneath.
#[must_use]
pub fn protected_paths() -> Vec<&'static str> {
    path::protected_entries().collect()
}

/// Paths whose reading always asks, in the same form.
#[must_use]
pub fn sensitive_reads() -> Vec<&'static str> {
    path::sensitive_entries().collect()
}

/// What is refused with no question, in words.
#[must_use]
pub fn hard_denials(language: Language) -> Vec<&'static str> {
    let of = |kind: &HardDenial| match language {
        Language::English => kind.english,
        Language::Chinese => kind.chinese,
    };
    HARD_DENIALS.iter().map(of).collect()
}

/// A kind of hard denial.
struct HardDenial {
    english: &'static str,
    chinese: &'static str,
    /// Texts of bash that it refuses, to hold the words against the decision.
    #[cfg(test)]
    examples: &'static [&'static str],
}

macro_rules! hard_denials {
    ($($english:literal, $chinese:literal, $examples:expr;)*) => {
        const HARD_DENIALS: &[HardDenial] = &[$(HardDenial {
            english: $english,
            chinese: $chinese,
            #[cfg(test)]
            examples: $examples,
        },)*];
    };
}

hard_denials! {
    "Deleting the root folder, a drive or the home folder with everything in it",
        "删除根目录、整个驱动器或主目录及其全部内容",
        &["rm -rf /", "rm -r ~", "find / -delete"];
    "Another user's rights: sudo, su, doas, pkexec, run0, runas, -Verb RunAs",
        "以其他用户的权限运行：sudo、su、doas、pkexec、run0、runas、-Verb RunAs",
        &["sudo ls", "su", "doas ls", "pkexec ls", "run0 ls"];
    "Stopping the machine: shutdown, reboot, halt, poweroff, init 0, systemctl reboot, Stop-Computer, Restart-Computer",
        "关闭或重启计算机：shutdown、reboot、halt、poweroff、init 0、systemctl reboot、Stop-Computer、Restart-Computer",
        &["shutdown now", "reboot", "halt", "poweroff", "init 0", "systemctl reboot"];
    "Making a file system or formatting a drive: mkfs, format, Format-Volume",
        "创建文件系统或格式化驱动器：mkfs、format、Format-Volume",
        &["mkfs /dev/sda1", "mkfs.ext4 x", "format c:"];
    "Writing onto a disk device: dd of=, >, tee, cp, mv",
        "直接写入磁盘设备：dd of=、>、tee、cp、mv",
        &["dd of=/dev/sda", "echo x > /dev/sda", "tee /dev/sda", "cp x /dev/sda", "mv x /dev/sda"];
    "Programs that start themselves without end (fork bombs)",
        "无限自我复制的程序（fork 炸弹）",
        &[":(){ :|:& };:"];
    "File tools outside the workspace, and Assent's own policy, log, approvals and keys by any tool",
        "文件工具访问工作区之外的路径，以及任何工具访问 Assent 自己的策略、日志、批准记录和密钥",
        &[];
}

#[cfg(test)]
mod tests {
    use super::{HARD_DENIALS, hard_denials, protected_paths, sensitive_reads};
    use crate::context::sample;
    use crate::request::Language;
    use crate::{Facts, path, shell};

    /// R11: the words promise what the decision does.
    #[test]
    fn every_example_is_refused() {
        for example in HARD_DENIALS.iter().flat_map(|kind| kind.examples) {
            let judged = shell::judge(example, &Facts::default(), &sample());
            assert!(!judged.hard_denials.is_empty(), "{example}");
        }
        assert_eq!(hard_denials(Language::English).len(), hard_denials(Language::Chinese).len());
    }

    /// What is listed is what is judged.
    #[test]
    fn every_entry_covers_its_own_path() {
        let of = |entry: &str| entry.replace('*', "x").trim_end_matches('/').to_owned();
        assert!(protected_paths().iter().all(|entry| path::is_protected(&of(entry))));
        let missed: Vec<&str> =
            sensitive_reads().into_iter().filter(|entry| !path::is_sensitive(&of(entry))).collect();
        assert_eq!(missed, Vec::<&str>::new());
        assert!(protected_paths().contains(&".git/") && sensitive_reads().contains(&".ssh/"));
    }
}

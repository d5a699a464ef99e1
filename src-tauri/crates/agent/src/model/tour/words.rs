//! The tour's words, in both languages.

use super::script::Station;

/// The language of the tour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TourLanguage {
    /// English.
    #[default]
    English,
    /// Simplified Chinese.
    Chinese,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ran.
    Done,
    /// A person said no.
    DeniedByYou,
    /// A rule or the boundary said no; nobody was asked.
    DeniedByRule,
    /// Nobody could be asked, or nobody answered.
    NotAnswered,
    /// It ran and failed, or could not run.
    Failed,
}

/// The words of one language.
#[derive(Clone, Copy, Debug)]
pub struct Words(pub TourLanguage);

impl Words {
    fn pick<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.0 {
            TourLanguage::English => english,
            TourLanguage::Chinese => chinese,
        }
    }

    /// The first words.
    #[must_use]
    pub fn opening(&self) -> &'static str {
        self.pick(
            "This is the tour. It is scripted: no model is behind it and nothing leaves this computer. The tools, \
             the questions and the audit log are real.\n\n",
            "这是导览。内容是预先写好的脚本：背后没有模型，任何数据都不会离开这台电脑。工具、确认对话框和审计记录都是真的。\n\n",
        )
    }

    /// What the listing showed.
    #[must_use]
    pub fn saw(&self, entries: usize) -> String {
        match (self.0, entries) {
            (TourLanguage::English, 0) => "The folder is empty. ".to_owned(),
            (TourLanguage::English, 1) => "There is one entry in this folder. ".to_owned(),
            (TourLanguage::English, _) => format!("There are {entries} entries in this folder. "),
            (TourLanguage::Chinese, 0) => "这个文件夹是空的。".to_owned(),
            (TourLanguage::Chinese, _) => format!("这个文件夹里有 {entries} 项。"),
        }
    }

    /// What is said before a call.
    #[must_use]
    pub fn before(&self, station: Station, subject: &str) -> String {
        match (self.0, station) {
            (TourLanguage::English, Station::Look) => {
                "First a look at the folder you chose. Reading inside it needs no question.".to_owned()
            }
            (TourLanguage::English, Station::Read) => format!("Next, reading `{subject}`."),
            (TourLanguage::English, Station::Write) => format!(
                "Now a change: a short note in `{subject}`. Writing asks you first, except in the mode \
                 Sandboxed. The default is to deny; nothing is written unless you allow it."
            ),
            (TourLanguage::English, Station::Command) => format!(
                "Next, a command: `{subject}`. Where a sandbox is in force and the command only reads, it runs \
                 without a question; otherwise you are asked."
            ),
            (TourLanguage::English, Station::Forbidden) => {
                format!("Now something nobody can allow: `{subject}`. Watch that no question comes.")
            }
            (TourLanguage::English, Station::Outside) => {
                format!("Last, a file outside the folder: `{subject}`. The boundary of the workspace holds.")
            }
            (TourLanguage::Chinese, Station::Look) => {
                "先看看你选的文件夹。在工作区内读取不需要确认。".to_owned()
            }
            (TourLanguage::Chinese, Station::Read) => format!("接着读取 `{subject}`。"),
            (TourLanguage::Chinese, Station::Write) => {
                format!(
                    "现在来一次改动：在 `{subject}` 写一份简短的笔记。除了“沙箱”模式，写入前都会先问你，默认是拒绝；你不允许，就什么都不会写。"
                )
            }
            (TourLanguage::Chinese, Station::Command) => {
                format!("接着是一条命令：`{subject}`。如果沙箱有效且命令只读取，就直接运行；否则会先问你。")
            }
            (TourLanguage::Chinese, Station::Forbidden) => {
                format!("现在是一条谁都不能允许的命令：`{subject}`。注意，不会弹出确认。")
            }
            (TourLanguage::Chinese, Station::Outside) => {
                format!("最后，写一个工作区之外的文件：`{subject}`。工作区的边界不会放行。")
            }
        }
    }

    /// What is said after a call.
    #[must_use]
    pub fn after(&self, station: Station, ending: Ending, subject: &str) -> String {
        match (self.0, ending) {
            (TourLanguage::English, Ending::Done) => match station {
                Station::Look => String::new(),
                Station::Read => format!("`{subject}` was read; nothing was changed.\n\n"),
                Station::Write => {
                    format!("`{subject}` is written, this once. The Changes tab can undo it.\n\n")
                }
                Station::Command => format!("`{subject}` ran.\n\n"),
                Station::Forbidden | Station::Outside => {
                    format!("`{subject}` went through. It should not have; please report it.\n\n")
                }
            },
            (TourLanguage::English, Ending::DeniedByYou) => {
                format!(
                    "You denied `{subject}`, so nothing of it happened. A denial does not end the run.\n\n"
                )
            }
            (TourLanguage::English, Ending::DeniedByRule) => {
                format!("`{subject}` was refused without a question, and nothing of it happened.\n\n")
            }
            (TourLanguage::English, Ending::NotAnswered) => {
                format!("Nobody answered for `{subject}`. No answer means no, so nothing of it happened.\n\n")
            }
            (TourLanguage::English, Ending::Failed) => format!("`{subject}` did not work out.\n\n"),
            (TourLanguage::Chinese, Ending::Done) => match station {
                Station::Look => String::new(),
                Station::Read => format!("已读取 `{subject}`，没有改动任何东西。\n\n"),
                Station::Write => {
                    format!("`{subject}` 已写好，仅此一次。可以在“改动”页撤销。\n\n")
                }
                Station::Command => format!("`{subject}` 已运行。\n\n"),
                Station::Forbidden | Station::Outside => {
                    format!("`{subject}` 竟然通过了。这不应该发生，请报告给我们。\n\n")
                }
            },
            (TourLanguage::Chinese, Ending::DeniedByYou) => {
                format!("你拒绝了 `{subject}`，所以什么都没有发生。拒绝不会结束这次运行。\n\n")
            }
            (TourLanguage::Chinese, Ending::DeniedByRule) => {
                format!("`{subject}` 没有询问就被拒绝，什么都没有发生。\n\n")
            }
            (TourLanguage::Chinese, Ending::NotAnswered) => {
                format!("没有人回答 `{subject}`。没有回答就是拒绝，所以什么都没有发生。\n\n")
            }
            (TourLanguage::Chinese, Ending::Failed) => format!("`{subject}` 没有成功。\n\n"),
        }
    }

    /// The note that is written into the workspace.
    #[must_use]
    pub fn note(&self, entries: usize, read: Option<&str>) -> String {
        let read = read.map(|name| match self.0 {
            TourLanguage::English => format!("It read `{name}`.\n"),
            TourLanguage::Chinese => format!("它读取了 `{name}`。\n"),
        });
        let read = read.unwrap_or_default();
        match self.0 {
            TourLanguage::English => format!(
                "# A note from the tour\n\nThe tour of Assent listed this folder ({entries} entries).\n{read}\
                 This one file was allowed. It can be deleted, or undone in the Changes tab.\n"
            ),
            TourLanguage::Chinese => format!(
                "# 导览的笔记\n\nAssent 的导览列出了这个文件夹（{entries} 项）。\n{read}\
                 只允许写入了这一个文件。可以删除它，也可以在“改动”页撤销。\n"
            ),
        }
    }

    /// The purpose of the harmless command, as the agent states it.
    #[must_use]
    pub fn command_purpose(&self) -> &'static str {
        self.pick("Show the state of the folder.", "查看文件夹的状态。")
    }

    /// The purpose of the forbidden command, as the agent states it.
    #[must_use]
    pub fn forbidden_purpose(&self) -> &'static str {
        self.pick("Show that this is refused.", "演示这条命令会被拒绝。")
    }

    /// The text of the file outside.
    #[must_use]
    pub fn outside_note(&self) -> &'static str {
        self.pick("This file must never exist.\n", "这个文件不应该存在。\n")
    }

    /// The head of the summary.
    #[must_use]
    pub fn summary_opening(&self) -> &'static str {
        self.pick("What came of it:\n", "结果如下：\n")
    }

    /// One line of the summary.
    #[must_use]
    pub fn summary_line(&self, station: Station, subject: &str, ending: Ending) -> String {
        let what = match station {
            Station::Look => self.pick("list the folder", "列出文件夹").to_owned(),
            Station::Read => format!("{} `{subject}`", self.pick("read", "读取")),
            Station::Write | Station::Outside => format!("{} `{subject}`", self.pick("write", "写入")),
            Station::Command | Station::Forbidden => format!("{} `{subject}`", self.pick("run", "运行")),
        };
        let ending = match ending {
            Ending::Done => self.pick("done", "已完成"),
            Ending::DeniedByYou => self.pick("denied by you", "被你拒绝"),
            Ending::DeniedByRule => self.pick("refused, nobody was asked", "未询问即拒绝"),
            Ending::NotAnswered => self.pick("not answered, so not run", "无人回答，未执行"),
            Ending::Failed => self.pick("failed", "失败"),
        };
        match self.0 {
            TourLanguage::English => format!("- {what}: {ending}\n"),
            TourLanguage::Chinese => format!("- {what}：{ending}\n"),
        }
    }

    /// The last words.
    #[must_use]
    pub fn closing(&self) -> &'static str {
        self.pick(
            "\nEvery call is in the Audit tab, with who decided and why. That was the tour. To work for real, choose \
             a model in the settings; write \"again\" to see it once more.",
            "\n每次调用都在“审计”页里，写明由谁决定、为什么。导览到此结束。要真正开始工作，请在设置里选择一个模型；输入“再来”可以重看一遍。",
        )
    }

    /// What is said once the tour is over.
    #[must_use]
    pub fn over(&self) -> &'static str {
        self.pick(
            "The tour is over, and it is only a script: it can't answer that. Choose a model in the settings to work \
             for real, or write \"again\" to see the tour once more.",
            "导览已经结束，而且它只是脚本，回答不了这个问题。请在设置里选择一个模型开始工作，或输入“再来”重看导览。",
        )
    }

    /// Whether a text is a reply that ended the tour, in any language.
    #[must_use]
    pub fn is_closing(&self, text: &str) -> bool {
        [TourLanguage::English, TourLanguage::Chinese].iter().any(|language| {
            let words = Self(*language);
            text.ends_with(words.closing())
        })
    }
}

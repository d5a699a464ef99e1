//! Cmdlets that only read, with the parameters that are allowed; what isn't listed here asks.

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// Nothing.
    Nothing,
    /// A value that names no file.
    Value,
    /// A name, perhaps with wildcards: a path in its place would be looked up on a disk or a share.
    Name,
    /// Paths that are only looked at: their names, whether they exist.
    Names,
    /// Paths whose content is read.
    Content,
    /// A condition or expression as a script block, if it is a plain one.
    Block,
}

/// One cmdlet.
pub(super) struct Cmdlet {
    pub(super) name: &'static str,
    /// Parameters by lower-case name or alias.
    pub(super) parameters: &'static [(&'static str, Takes)],
    /// The parameters that words without one are bound to, in order.
    pub(super) positions: &'static [&'static str],
    /// Whether the last of them takes all further words.
    pub(super) takes_rest: bool,
}

use Takes::{Block, Content, Name, Names, Nothing, Value};

/// The cmdlet `name`, lower case.
pub(super) fn find(name: &str) -> Option<&'static Cmdlet> {
    CMDLETS.iter().find(|cmdlet| cmdlet.name == name)
}

impl Cmdlet {
    /// The parameter that `written` means, without its dash: exactly, or as an abbreviation of just one.
    pub(super) fn parameter(&self, written: &str) -> Option<(&'static str, Takes)> {
        let written = written.to_lowercase();
        if let Some(found) = self.parameters.iter().chain(COMMON).find(|(name, _)| *name == written) {
            return Some(*found);
        }
        // One or two letters may be an alias of a common parameter (`-ov`, `-pv`): those stay unknown.
        if written.len() < 3 {
            return None;
        }
        let mut fits = self.parameters.iter().filter(|(name, _)| name.starts_with(&written));
        match (fits.next(), fits.next()) {
            (Some(found), None) => Some(*found),
            (Some(_), Some(_)) | (None, _) => None,
        }
    }
}

const fn cmdlet(
    name: &'static str,
    parameters: &'static [(&'static str, Takes)],
    positions: &'static [&'static str],
) -> Cmdlet {
    Cmdlet { name, parameters, positions, takes_rest: false }
}

const CMDLETS: &[Cmdlet] = &[
    Cmdlet {
        name: "get-childitem",
        parameters: &[
            ("path", Names),
            ("literalpath", Names),
            ("lp", Names),
            ("filter", Name),
            ("include", Name),
            ("exclude", Value),
            ("recurse", Nothing),
            ("r", Nothing),
            ("s", Nothing),
            ("depth", Value),
            ("force", Nothing),
            ("name", Nothing),
            ("directory", Nothing),
            ("ad", Nothing),
            ("d", Nothing),
            ("file", Nothing),
            ("af", Nothing),
            ("hidden", Nothing),
            ("ah", Nothing),
            ("h", Nothing),
            ("readonly", Nothing),
            ("ar", Nothing),
            ("system", Nothing),
            ("as", Nothing),
            ("attributes", Value),
        ],
        positions: &["path", "filter"],
        takes_rest: false,
    },
    cmdlet(
        "get-content",
        &[
            ("path", Content),
            ("literalpath", Content),
            ("lp", Content),
            ("totalcount", Value),
            ("first", Value),
            ("head", Value),
            ("tail", Value),
            ("last", Value),
            ("readcount", Value),
            ("raw", Nothing),
            ("encoding", Value),
            ("delimiter", Value),
            ("force", Nothing),
            ("asbytestream", Nothing),
        ],
        &["path"],
    ),
    cmdlet(
        "select-string",
        &[
            ("pattern", Value),
            ("path", Content),
            ("literalpath", Content),
            ("lp", Content),
            ("simplematch", Nothing),
            ("casesensitive", Nothing),
            ("quiet", Nothing),
            ("list", Nothing),
            ("include", Value),
            ("exclude", Value),
            ("notmatch", Nothing),
            ("allmatches", Nothing),
            ("context", Value),
            ("encoding", Value),
            ("noemphasis", Nothing),
            ("raw", Nothing),
        ],
        &["pattern", "path"],
    ),
    cmdlet(
        "get-item",
        &[("path", Names), ("literalpath", Names), ("lp", Names), ("force", Nothing)],
        &["path"],
    ),
    cmdlet(
        "test-path",
        &[("path", Names), ("literalpath", Names), ("lp", Names), ("pathtype", Value), ("isvalid", Nothing)],
        &["path"],
    ),
    cmdlet(
        "resolve-path",
        &[("path", Names), ("literalpath", Names), ("lp", Names), ("relative", Nothing)],
        &["path"],
    ),
    cmdlet("convert-path", &[("path", Names), ("literalpath", Names), ("lp", Names)], &["path"]),
    cmdlet(
        "split-path",
        &[
            ("path", Value),
            ("literalpath", Value),
            ("parent", Nothing),
            ("leaf", Nothing),
            ("leafbase", Nothing),
            ("extension", Nothing),
            ("qualifier", Nothing),
            ("noqualifier", Nothing),
            ("isabsolute", Nothing),
        ],
        &["path"],
    ),
    cmdlet(
        "join-path",
        &[("path", Value), ("childpath", Value), ("additionalchildpath", Value)],
        &["path", "childpath", "additionalchildpath"],
    ),
    cmdlet("get-location", &[], &[]),
    cmdlet("set-location", &[("path", Names), ("literalpath", Names)], &["path"]),
    cmdlet("push-location", &[("path", Names), ("literalpath", Names)], &["path"]),
    cmdlet("pop-location", &[], &[]),
    cmdlet(
        "get-filehash",
        &[("path", Content), ("literalpath", Content), ("lp", Content), ("algorithm", Value)],
        &["path"],
    ),
    cmdlet(
        "format-hex",
        &[
            ("path", Content),
            ("literalpath", Content),
            ("lp", Content),
            ("count", Value),
            ("offset", Value),
            ("encoding", Value),
        ],
        &["path"],
    ),
    cmdlet(
        "import-csv",
        &[
            ("path", Content),
            ("literalpath", Content),
            ("delimiter", Value),
            ("header", Value),
            ("encoding", Value),
        ],
        &["path", "delimiter"],
    ),
    cmdlet(
        "measure-object",
        &[
            ("property", Value),
            ("line", Nothing),
            ("word", Nothing),
            ("character", Nothing),
            ("ignorewhitespace", Nothing),
            ("sum", Nothing),
            ("average", Nothing),
            ("maximum", Nothing),
            ("max", Nothing),
            ("minimum", Nothing),
            ("min", Nothing),
            ("standarddeviation", Nothing),
            ("allstats", Nothing),
        ],
        &["property"],
    ),
    cmdlet(
        "select-object",
        &[
            ("property", Value),
            ("first", Value),
            ("last", Value),
            ("skip", Value),
            ("skiplast", Value),
            ("index", Value),
            ("unique", Nothing),
            ("expandproperty", Value),
            ("expand", Value),
            ("excludeproperty", Value),
        ],
        &["property"],
    ),
    cmdlet(
        "sort-object",
        &[
            ("property", Value),
            ("descending", Nothing),
            ("unique", Nothing),
            ("casesensitive", Nothing),
            ("stable", Nothing),
            ("top", Value),
            ("bottom", Value),
            ("culture", Value),
        ],
        &["property"],
    ),
    cmdlet(
        "group-object",
        &[("property", Value), ("noelement", Nothing), ("casesensitive", Nothing)],
        &["property"],
    ),
    cmdlet("get-unique", &[("asstring", Nothing), ("ontype", Nothing)], &[]),
    cmdlet(
        "where-object",
        &[
            ("property", Value),
            ("value", Value),
            ("filterscript", Block),
            ("eq", Nothing),
            ("ne", Nothing),
            ("gt", Nothing),
            ("ge", Nothing),
            ("lt", Nothing),
            ("le", Nothing),
            ("ceq", Nothing),
            ("cne", Nothing),
            ("like", Nothing),
            ("notlike", Nothing),
            ("clike", Nothing),
            ("match", Nothing),
            ("notmatch", Nothing),
            ("cmatch", Nothing),
            ("contains", Nothing),
            ("notcontains", Nothing),
            ("in", Nothing),
            ("notin", Nothing),
            ("not", Nothing),
        ],
        &["filterscript", "value"],
    ),
    cmdlet("foreach-object", &[("process", Block)], &["process"]),
    cmdlet(
        "format-table",
        &[
            ("property", Value),
            ("autosize", Nothing),
            ("wrap", Nothing),
            ("hidetableheaders", Nothing),
            ("groupby", Value),
        ],
        &["property"],
    ),
    cmdlet("format-list", &[("property", Value), ("groupby", Value)], &["property"]),
    cmdlet("format-wide", &[("property", Value), ("autosize", Nothing), ("column", Value)], &["property"]),
    cmdlet("get-member", &[("name", Value), ("membertype", Value), ("static", Nothing)], &["name"]),
    cmdlet("out-string", &[("width", Value), ("stream", Nothing), ("nonewline", Nothing)], &[]),
    cmdlet("out-host", &[("paging", Nothing)], &[]),
    cmdlet("out-null", &[], &[]),
    cmdlet("out-default", &[], &[]),
    Cmdlet {
        name: "write-output",
        parameters: &[("inputobject", Value), ("noenumerate", Nothing)],
        positions: &["inputobject"],
        takes_rest: true,
    },
    Cmdlet {
        name: "write-host",
        parameters: &[
            ("object", Value),
            ("nonewline", Nothing),
            ("separator", Value),
            ("foregroundcolor", Value),
            ("backgroundcolor", Value),
        ],
        positions: &["object"],
        takes_rest: true,
    },
    cmdlet(
        "get-date",
        &[("format", Value), ("uformat", Value), ("date", Value), ("asutc", Nothing)],
        &["date"],
    ),
    cmdlet("convertto-json", &[("depth", Value), ("compress", Nothing), ("asarray", Nothing)], &[]),
    cmdlet("convertfrom-json", &[("depth", Value), ("ashashtable", Nothing)], &[]),
    cmdlet("convertto-csv", &[("delimiter", Value), ("notypeinformation", Nothing)], &[]),
    cmdlet("convertfrom-csv", &[("delimiter", Value), ("header", Value)], &[]),
    cmdlet("get-verb", &[("verb", Value), ("group", Value)], &["verb"]),
    cmdlet("new-guid", &[], &[]),
    cmdlet("get-culture", &[], &[]),
    cmdlet("get-uiculture", &[], &[]),
    cmdlet("get-host", &[], &[]),
    cmdlet("get-timezone", &[("listavailable", Nothing), ("name", Value), ("id", Value)], &["name"]),
    cmdlet("get-uptime", &[("since", Nothing)], &[]),
    cmdlet("get-random", &[("maximum", Value), ("minimum", Value), ("count", Value)], &["maximum"]),
    cmdlet("get-computerinfo", &[("property", Value)], &["property"]),
    cmdlet("get-psdrive", &[("name", Value), ("psprovider", Value)], &["name"]),
    cmdlet("get-psprovider", &[("psprovider", Value)], &["psprovider"]),
    cmdlet("get-alias", &[("name", Value), ("definition", Value), ("exclude", Value)], &["name"]),
    cmdlet(
        "get-command",
        &[
            ("name", Name),
            ("all", Nothing),
            ("commandtype", Value),
            ("type", Value),
            ("module", Name),
            ("noun", Value),
            ("verb", Value),
            ("syntax", Nothing),
            ("totalcount", Value),
            ("listimported", Nothing),
        ],
        &["name"],
    ),
    cmdlet(
        "get-help",
        &[
            ("name", Name),
            ("full", Nothing),
            ("detailed", Nothing),
            ("examples", Nothing),
            ("parameter", Value),
            ("category", Value),
        ],
        &["name"],
    ),
    cmdlet("get-module", &[("name", Name), ("listavailable", Nothing), ("all", Nothing)], &["name"]),
    cmdlet("get-process", &[("name", Value), ("id", Value), ("pid", Value)], &["name"]),
    cmdlet("get-service", &[("name", Value), ("displayname", Value)], &["name"]),
    cmdlet(
        "get-itemproperty",
        &[("path", Names), ("literalpath", Names), ("lp", Names), ("name", Value)],
        &["path", "name"],
    ),
    cmdlet("get-acl", &[("path", Names), ("literalpath", Names)], &["path"]),
    cmdlet(
        "compare-object",
        &[
            ("referenceobject", Value),
            ("differenceobject", Value),
            ("property", Value),
            ("syncwindow", Value),
            ("includeequal", Nothing),
            ("excludedifferent", Nothing),
            ("casesensitive", Nothing),
            ("passthru", Nothing),
        ],
        &["referenceobject", "differenceobject"],
    ),
    cmdlet(
        "start-sleep",
        &[("seconds", Value), ("milliseconds", Value), ("s", Value), ("m", Value)],
        &["seconds"],
    ),
];

/// Parameters that every cmdlet has and that only change what is said about errors.
pub(super) const COMMON: &[(&str, Takes)] = &[
    ("erroraction", Value),
    ("ea", Value),
    ("warningaction", Value),
    ("wa", Value),
    ("verbose", Nothing),
    ("vb", Nothing),
];

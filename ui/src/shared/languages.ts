/** What the highlighter knows of each language: how comments and strings look, and which words are its own. */

export interface LanguageRules {
  /** Starts of comments that end with the line. */
  line: readonly string[];
  /** Starts and ends of comments over lines. */
  block: readonly (readonly [string, string])[];
  /** Quotes of strings; those in `long` may span lines. Longer ones first. */
  quotes: readonly string[];
  long: readonly string[];
  keywords: ReadonlySet<string>;
  /** Names before `:` or `=` at the start of a line are keys. */
  keys?: boolean;
  /** `$name` is a variable. */
  dollar?: boolean;
  /** Keywords in any case. */
  anyCase?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const C_COMMENTS = { line: ["//"], block: [["/*", "*/"]] } as const;
const HASH_COMMENTS = { line: ["#"], block: [] } as const;

const RULES = {
  rust: { ...C_COMMENTS, quotes: ['"'], long: ['"'], keywords: words("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while") },
  script: { ...C_COMMENTS, quotes: ["`", '"', "'"], long: ["`"], keywords: words("abstract any as async await boolean break case catch class const constructor continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace never new null number of private protected public readonly return set static string super switch this throw true try type typeof undefined unknown var void while with yield") },
  python: { ...HASH_COMMENTS, quotes: ['"""', "'''", '"', "'"], long: ['"""', "'''"], keywords: words("and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield") },
  go: { ...C_COMMENTS, quotes: ["`", '"', "'"], long: ["`"], keywords: words("any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if import int int64 interface map nil package range return rune select string struct switch true type uint8 var") },
  c: { ...C_COMMENTS, quotes: ['"', "'"], long: [], keywords: words("alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend if include inline int long namespace new noexcept nullptr operator private protected public return short signed sizeof static static_cast struct switch template this throw true try typedef typename union unsigned using virtual void volatile while define ifdef ifndef endif pragma") },
  java: { ...C_COMMENTS, quotes: ['"""', '"', "'"], long: ['"""'], keywords: words("abstract async await base bool boolean break byte case catch char class companion const continue data default do double else enum extends false final finally float for fun func get guard if implements import in init instanceof int interface internal is let long namespace new nil null object open override package private protected public readonly record return sealed set short static string struct super switch this throw throws true try typeof using val var virtual void volatile when while yield") },
  ruby: { ...HASH_COMMENTS, quotes: ['"', "'"], long: [], keywords: words("alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require") },
  shell: { ...HASH_COMMENTS, quotes: ['"', "'"], long: ['"', "'"], dollar: true, keywords: words("case cd do done echo elif else esac exec exit export fi for function if in local read return set shift source then trap unset until while") },
  php: { line: ["//", "#"], block: [["/*", "*/"]], quotes: ['"', "'"], long: [], dollar: true, keywords: words("abstract array as break case catch class const continue default echo else elseif extends false final finally fn for foreach function if implements instanceof interface match namespace new null private protected public readonly return static string switch this throw trait true try use void while") },
  sql: { line: ["--"], block: [["/*", "*/"]], quotes: ["'", '"'], long: ["'"], anyCase: true, keywords: words("add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert integer into is join key left like limit not null on or order outer primary references replace returning right rollback select set table text then union unique update using values view when where with") },
  toml: { ...HASH_COMMENTS, quotes: ['"""', "'''", '"', "'"], long: ['"""', "'''"], keys: true, keywords: words("true false") },
  ini: { line: ["#", ";"], block: [], quotes: ['"'], long: [], keys: true, keywords: words("true false yes no on off") },
  yaml: { ...HASH_COMMENTS, quotes: ['"', "'"], long: [], keys: true, keywords: words("true false null yes no on off") },
  json: { ...C_COMMENTS, quotes: ['"'], long: [], keys: true, keywords: words("true false null") },
  css: { line: [], block: [["/*", "*/"]], quotes: ['"', "'"], long: [], keys: true, keywords: words("important auto none inherit initial unset media import supports layer keyframes") },
} satisfies Record<string, LanguageRules>;

export type LanguageName = keyof typeof RULES | "markup" | "diff";

export function rulesOf(name: keyof typeof RULES): LanguageRules {
  return RULES[name];
}

const NAMES: Record<LanguageName, string> = {
  rust: "rs rust",
  script: "ts tsx mts cts js jsx mjs cjs typescript javascript",
  python: "py python pyi",
  go: "go golang",
  c: "c h cc cpp cxx hpp c++ objc m",
  java: "java kt kts kotlin cs csharp swift scala dart groovy",
  ruby: "rb ruby",
  shell: "sh bash zsh shell console fish dockerfile make makefile",
  php: "php",
  sql: "sql",
  toml: "toml lock",
  ini: "ini cfg conf properties env",
  yaml: "yml yaml",
  json: "json jsonc json5",
  css: "css scss less",
  markup: "html xml svg svelte vue htm xhtml",
  diff: "diff patch",
};

const BY_WORD = new Map(Object.entries(NAMES).flatMap(([name, list]) => list.split(" ").map((word) => [word, name as LanguageName])));

/** The language of a fence's info word or of a file's extension, null where it has no colours. */
export function languageOf(word: string): LanguageName | null {
  return BY_WORD.get(word.toLowerCase()) ?? null;
}

/** The language of a file, by its name. */
export function languageOfPath(path: string): LanguageName | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return languageOf(name.slice(name.lastIndexOf(".") + 1));
}

//! The licences of everything that is compiled into the programs or the pages: each package with its licence, then
//! each distinct text once with the packages that carry it. Where a package carries none, its licence's standard text
//! stands in, with who made it: MIT and BSD ask for both.

use crate::run;
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates whose programs are shipped.
const SHIPPED: &[&str] = &["assent-desktop", "assent", "assent-sandbox"];

/// How licence files begin, in capitals.
const FILES: &[&str] = &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// A package of somebody else that is shipped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    /// Who made it, as far as it says so.
    pub authors: String,
    /// Where its licence files are.
    pub folder: PathBuf,
}

/// Writes the list to `path`; how many packages it names.
///
/// # Errors
/// When a shipped package names no licence, or one without a text, or cargo or the installed npm packages can't be read.
pub fn write(path: &Path) -> Result<usize> {
    let mut packages = crates()?;
    packages.extend(scripts(&run::root().join("ui"))?);
    packages.push(standard_library()?);
    packages.sort();
    let text = listing(&packages, |package| {
        let own = texts_of(package)?;
        if own.is_empty() { standard_texts(package) } else { Ok(own) }
    })?;
    std::fs::create_dir_all(path.parent().context("no folder")?)?;
    std::fs::write(path, text).with_context(|| format!("write {}", path.display()))?;
    Ok(packages.len())
}

/// Compiled into every program, and in no lock file.
fn standard_library() -> Result<Package> {
    let version = run::output("rustc", &["--version"]).context("`rustc --version` failed")?;
    Ok(Package {
        name: "Rust's standard library".to_owned(),
        version: version.split_whitespace().nth(1).unwrap_or_default().to_owned(),
        licence: "MIT OR Apache-2.0".to_owned(),
        authors: "The Rust Project contributors".to_owned(),
        folder: PathBuf::new(),
    })
}

fn crates() -> Result<Vec<Package>> {
    let mut arguments = vec!["metadata", "--format-version", "1", "--locked"];
    let host = run::host();
    if let Some(host) = &host {
        arguments.extend(["--filter-platform", host]);
    }
    let text = run::output("cargo", &arguments).context("`cargo metadata` failed")?;
    shipped_crates(&serde_json::from_str(&text).context("read `cargo metadata`")?)
}

/// What the shipped crates need when they run, in `cargo metadata`'s words: no development or build dependencies.
fn shipped_crates(metadata: &Value) -> Result<Vec<Package>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(at(metadata, "/packages"))
        .into_iter()
        .map(|package| (text(at(&package, "/id")), package))
        .collect();
    let needs: BTreeMap<String, Vec<String>> = list(at(metadata, "/resolve/nodes"))
        .iter()
        .map(|node| {
            let normal = |dependency: &&Value| {
                list(at(dependency, "/dep_kinds")).iter().any(|kind| at(kind, "/kind").is_null())
            };
            let names =
                list(at(node, "/deps")).iter().filter(normal).map(|it| text(at(it, "/pkg"))).collect();
            (text(at(node, "/id")), names)
        })
        .collect();
    let mut open: Vec<&String> = packages
        .iter()
        .filter(|(_, package)| {
            at(package, "/source").is_null() && SHIPPED.contains(&text(at(package, "/name")).as_str())
        })
        .map(|(id, _)| id)
        .collect();
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(needs.get(id).into_iter().flatten());
        }
    }
    seen.into_iter()
        .filter_map(|id| packages.get(id))
        .filter(|package| !at(package, "/source").is_null())
        .map(|package| {
            let name = text(at(package, "/name"));
            let file = PathBuf::from(text(at(package, "/manifest_path")));
            let licence = match (at(package, "/license"), at(package, "/license_file")) {
                (Value::String(licence), _) => licence.clone(),
                (_, Value::String(file)) => format!("see {file}"),
                _ => bail!("the crate {name} names no licence"),
            };
            Ok(Package {
                version: text(at(package, "/version")),
                folder: file.parent().map(Path::to_path_buf).unwrap_or_default(),
                authors: list(at(package, "/authors")).iter().map(text).collect::<Vec<_>>().join(", "),
                name,
                licence,
            })
        })
        .collect()
}

/// What the pages are bundled from: `dependencies`, Svelte's own runtime, and what those bring along, by the lock file.
fn scripts(ui: &Path) -> Result<Vec<Package>> {
    let path = ui.join("package-lock.json");
    let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    shipped_scripts(&serde_json::from_str(&text).with_context(|| format!("read {}", path.display()))?, ui)
}

/// The same from the lock file's own words; the packages lie below `ui`.
fn shipped_scripts(lock: &Value, ui: &Path) -> Result<Vec<Package>> {
    let packages = at(lock, "/packages").as_object().context("the lock file names no packages")?;
    let own = packages.get("").context("the lock file doesn't name the pages themselves")?;
    let mut open: Vec<(String, String)> = names(own).map(|name| (String::new(), name)).collect();
    open.push((String::new(), "svelte".to_owned()));
    let mut found: BTreeMap<String, Package> = BTreeMap::new();
    while let Some((from, name)) = open.pop() {
        // An optional one of another system isn't locked.
        let Some((place, package)) = located(packages, &from, &name) else { continue };
        if found.contains_key(&place) {
            continue;
        }
        open.extend(names(package).map(|name| (place.clone(), name)));
        let licence =
            at(package, "/license").as_str().with_context(|| format!("{name} names no licence"))?.to_owned();
        let (version, folder) = (text(at(package, "/version")), ui.join(&place));
        let authors = author_of(&folder);
        found.insert(place, Package { name, version, licence, authors, folder });
    }
    Ok(found.into_values().collect())
}

/// The author that an installed npm package names; the lock file doesn't.
fn author_of(folder: &Path) -> String {
    let Ok(manifest) = std::fs::read_to_string(folder.join("package.json")) else { return String::new() };
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    match at(&manifest, "/author") {
        Value::String(author) => author.clone(),
        author => text(at(author, "/name")),
    }
}

/// What a package needs when it runs.
fn names(package: &Value) -> impl Iterator<Item = String> {
    ["/dependencies", "/optionalDependencies"]
        .into_iter()
        .filter_map(|kind| at(package, kind).as_object())
        .flat_map(|list| list.keys().cloned())
}

/// `name` as the package at `from` finds it: beside its own packages, or further out.
fn located<'a>(
    packages: &'a serde_json::Map<String, Value>,
    from: &str,
    name: &str,
) -> Option<(String, &'a Value)> {
    let mut from = from;
    loop {
        let place = if from.is_empty() {
            format!("node_modules/{name}")
        } else {
            format!("{from}/node_modules/{name}")
        };
        if let Some(package) = packages.get(&place) {
            return Some((place, package));
        }
        if from.is_empty() {
            return None;
        }
        from = from.rsplit_once("node_modules/").map_or("", |(out, _)| out.trim_end_matches('/'));
    }
}

fn listing(packages: &[Package], texts: impl Fn(&Package) -> Result<Vec<String>>) -> Result<String> {
    let mut out = String::from(
        "Assent is made with the packages below. Each keeps its own licence; the texts follow the list.\n\n",
    );
    let mut carriers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let label = format!("{} {}", package.name, package.version);
        out.push_str(&format!("{label}: {}\n", package.licence));
        for text in texts(package)? {
            carriers.entry(text).or_default().push(label.clone());
        }
    }
    let mut by_carrier: Vec<(Vec<String>, String)> =
        carriers.into_iter().map(|(text, carriers)| (carriers, text)).collect();
    by_carrier.sort();
    for (carriers, text) in by_carrier {
        out.push_str(&format!("\n{}\n{}\n\n{}\n", "-".repeat(72), carriers.join(", "), text.trim_end()));
    }
    Ok(out)
}

/// The standard text of each licence that a package without a text names.
fn standard_texts(package: &Package) -> Result<Vec<String>> {
    let Package { name, licence, authors, .. } = package;
    let named = spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX)
        .with_context(|| format!("read the licence of {name}, {licence}"))?;
    let by = if authors.is_empty() { format!("the authors of {name}") } else { authors.clone() };
    named
        .requirements()
        .map(|requirement| {
            let known = requirement
                .req
                .license
                .id()
                .with_context(|| format!("{name} carries no text of {licence}"))?;
            Ok(format!(
                "It carries no text of its own; this is the standard one. Copyright {by}.\n\n{}",
                known.text().trim()
            ))
        })
        .collect()
}

/// The licence files at the top of the package's folder, without trailing blanks, sorted by name.
fn texts_of(package: &Package) -> Result<Vec<String>> {
    if package.folder.as_os_str().is_empty() {
        return Ok(Vec::new());
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(&package.folder)
        .with_context(|| format!("list {}", package.folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase()).unwrap_or_default();
            path.is_file() && FILES.iter().any(|begin| name.starts_with(begin))
        })
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
            let lines: Vec<String> =
                String::from_utf8_lossy(&bytes).lines().map(|line| line.trim_end().to_owned()).collect();
            Ok(lines.join("\n").trim_matches('\n').to_owned())
        })
        .collect()
}

/// What is at the JSON pointer, or null.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{
        Package, listing, shipped_crates, shipped_scripts, standard_library, standard_texts, texts_of,
    };
    use crate::run;
    use serde_json::json;
    use std::path::{Path, PathBuf};

    fn package(name: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            authors: "Ada".to_owned(),
            folder: PathBuf::new(),
        }
    }

    #[test]
    fn what_only_builds_or_tests_is_not_listed() {
        let entry = |name: &str, source| {
            json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source,
                "manifest_path": format!("/{name}/Cargo.toml")})
        };
        let needs = |name: &str, kind| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [entry("assent", None), entry("xtask", None), entry("ours", None),
                entry("used", Some("registry")), entry("deep", Some("registry")), entry("tests", Some("registry")),
                entry("builds", Some("registry")), entry("tasks", Some("registry"))],
            "resolve": {"nodes": [
                {"id": "assent", "deps": [needs("ours", None), needs("tests", Some("dev")), needs("builds", Some("build"))]},
                {"id": "ours", "deps": [needs("used", None)]},
                {"id": "used", "deps": [needs("deep", None)]},
                {"id": "xtask", "deps": [needs("tasks", None)]},
            ]},
        });
        let names: Vec<String> =
            shipped_crates(&metadata).unwrap().into_iter().map(|package| package.name).collect();
        assert_eq!(names, ["deep", "used"]);
    }

    #[test]
    fn a_crate_without_a_licence_stops_the_packaging() {
        let metadata = json!({
            "packages": [{"id": "a", "name": "assent"}, {"id": "b", "name": "bare", "source": "registry"}],
            "resolve": {"nodes": [{"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": null}]}]}]},
        });
        let error = shipped_crates(&metadata).unwrap_err();
        assert_eq!(error.to_string(), "the crate bare names no licence");
    }

    #[test]
    fn what_a_script_brings_along_is_listed_and_a_tool_is_not() {
        let entry =
            |dependencies| json!({"version": "1.0.0", "license": "MIT", "dependencies": dependencies});
        let lock = json!({"packages": {
            "": {"dependencies": {"used": "1"}, "devDependencies": {"svelte": "1", "tool": "1"}},
            "node_modules/used": entry(json!({"deep": "1"})),
            "node_modules/used/node_modules/deep": entry(json!({"shared": "1"})),
            "node_modules/deep": entry(json!({})),
            "node_modules/shared": entry(json!({})),
            "node_modules/svelte": entry(json!({"clsx": "1"})),
            "node_modules/clsx": entry(json!({})),
            "node_modules/tool": entry(json!({})),
        }});
        let folders: Vec<PathBuf> = shipped_scripts(&lock, Path::new(""))
            .unwrap()
            .into_iter()
            .map(|package| package.folder)
            .collect();
        let wanted = ["clsx", "shared", "svelte", "used", "used/node_modules/deep"];
        assert_eq!(folders, wanted.map(|name| Path::new("node_modules").join(name)));
        let text = std::fs::read_to_string(run::root().join("ui/package-lock.json")).unwrap();
        let here = shipped_scripts(&serde_json::from_str(&text).unwrap(), Path::new("")).unwrap();
        for name in ["@tauri-apps/api", "clsx", "dompurify", "esm-env", "marked", "svelte"] {
            assert!(here.iter().any(|package| package.name == name), "{name}");
        }
        assert!(here.iter().all(|package| package.name != "vite"));
    }

    #[test]
    fn what_carries_no_text_gets_the_standard_one_and_its_authors() {
        let library = standard_library().unwrap();
        assert!(texts_of(&library).unwrap().is_empty());
        let texts = standard_texts(&library).unwrap();
        assert_eq!(texts.len(), 2, "one for each licence");
        assert!(texts.iter().all(|text| text.contains("The Rust Project contributors")));
        assert!(standard_texts(&package("a")).unwrap().concat().contains("WITHOUT WARRANTY OF ANY KIND"));
        let own = Package { licence: "see terms.txt".to_owned(), ..package("own") };
        assert!(standard_texts(&own).unwrap_err().to_string().contains("own"));
    }

    #[test]
    fn a_text_that_many_carry_is_printed_once() {
        let text = listing(&[package("a"), package("b")], |_| Ok(vec!["The MIT text".to_owned()])).unwrap();
        assert_eq!(text.matches("The MIT text").count(), 1);
        assert!(
            text.contains("a 1.0.0: MIT\nb 1.0.0: MIT\n") && text.contains("\na 1.0.0, b 1.0.0\n"),
            "{text}"
        );
    }
}

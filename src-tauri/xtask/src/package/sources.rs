//! What the packages are made from: that the files are there, fit together and say the same.

use super::contents::FILES;
use super::entries;
use crate::run;
use serde_json::Value;
use std::path::PathBuf;

fn read(path: &str) -> String {
    let path = run::root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn configuration() -> Value {
    serde_json::from_str(&read("src-tauri/tauri.conf.json")).unwrap()
}

/// The value between `<name…>` and `</name>`.
fn element<'a>(xml: &'a str, name: &str) -> &'a str {
    let (_, rest) = xml.split_once(&format!("<{name}")).unwrap_or_else(|| panic!("no <{name}>"));
    rest.split_once('>').and_then(|(_, rest)| rest.split_once("</")).unwrap().0
}

#[test]
fn the_store_entry_names_this_app() {
    let configuration = configuration();
    let identifier = configuration["identifier"].as_str().unwrap();
    let xml = read(&format!("src-tauri/packaging/{identifier}.metainfo.xml"));
    assert_eq!(element(&xml, "id"), identifier);
    let entry = format!("{}.desktop", configuration["productName"].as_str().unwrap());
    assert_eq!(element(&xml, "launchable"), entry);
    assert!(FILES.contains(&format!("/usr/share/applications/{entry}").as_str()));
    assert_eq!(element(&xml, "binary"), configuration["mainBinaryName"].as_str().unwrap());
    assert_eq!(element(&xml, "project_license"), configuration["bundle"]["license"].as_str().unwrap());
    assert!(
        xml.contains(&format!("<release version=\"{}\"", env!("CARGO_PKG_VERSION"))),
        "the newest release"
    );
    let changelog = read("src-tauri/packaging/changelog");
    assert!(changelog.starts_with(&format!("assent ({})", env!("CARGO_PKG_VERSION"))), "{changelog}");
}

#[test]
fn both_packages_take_the_same_files_and_those_are_there() {
    let linux = &configuration()["bundle"]["linux"];
    assert_eq!(linux["deb"]["files"], linux["rpm"]["files"]);
    for (to, from) in linux["deb"]["files"].as_object().unwrap() {
        assert!(FILES.contains(&to.as_str()), "{to} isn't checked in the finished package");
        let from = from.as_str().unwrap();
        let made = from.starts_with("../target/");
        assert!(made || run::root().join("src-tauri").join(from).is_file(), "{from}");
    }
}

/// What is merged in when packaging replaces lists: none of the configuration's own may be lost by it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn both_packages_ask_for_the_c_library_and_recommend_what_opens_links() {
    let linux = &configuration()["bundle"]["linux"];
    let program = std::env::current_exe().unwrap();
    let asked: Value =
        serde_json::from_str(&super::asking_for(super::glibc::needed_by(&[program]).unwrap())).unwrap();
    for (kind, begin) in [("deb", "libc6 (>= 2."), ("rpm", "libc.so.6(GLIBC_2.")] {
        assert!(linux[kind]["depends"].is_null(), "{kind}");
        let depends = asked["bundle"]["linux"][kind]["depends"][0].as_str().unwrap();
        assert!(depends.starts_with(begin), "{depends}");
        let recommends = linux[kind]["recommends"].as_array().unwrap();
        assert!(recommends.iter().any(|name| name == "xdg-utils"), "{kind}");
    }
}

#[test]
fn the_programs_that_are_looked_up_beside_the_app_lie_there() {
    let beside: Value = serde_json::from_str(&read("src-tauri/packaging/beside.json")).unwrap();
    let names: Vec<String> = beside["bundle"]["externalBin"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| PathBuf::from(path.as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names, ["assent", "assent-sandbox"]);
    assert!(names.iter().all(|name| FILES.contains(&format!("/usr/bin/{name}").as_str())));
}

#[test]
fn the_bundler_is_of_the_app_s_own_line() {
    let lock: Value = serde_json::from_str(&read("src-tauri/packaging/package-lock.json")).unwrap();
    let bundler = lock["packages"]["node_modules/@tauri-apps/cli"]["version"].as_str().unwrap();
    let crates = read("Cargo.lock");
    let (_, rest) = crates.split_once("name = \"tauri\"\nversion = \"").unwrap();
    let line = |version: &str| version.split('.').take(2).collect::<Vec<_>>().join(".");
    assert_eq!(line(bundler), line(rest.split('"').next().unwrap()));
}

/// Sizes as the picture itself says, at bytes 16 to 24 (PNG, "IHDR").
#[test]
fn each_icon_has_the_size_of_its_name() {
    let icons = configuration()["bundle"]["icon"].as_array().unwrap().clone();
    let mut sizes = Vec::new();
    for icon in icons {
        let path = run::root().join("src-tauri").join(icon.as_str().unwrap());
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match name.as_str() {
            "icon.icns" => assert_eq!(&bytes[..4], b"icns"),
            "icon.ico" => assert_eq!(&bytes[..4], [0, 0, 1, 0]),
            _ => {
                assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n", "{name}");
                let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
                assert_eq!(number(16), number(20), "{name} is square");
                let base: u32 = name.split('x').next().unwrap().parse().unwrap();
                let size = if name.contains("@2x") { base * 2 } else { base };
                assert_eq!(number(16), size, "{name}");
                sizes.push(size);
            }
        }
    }
    assert_eq!(sizes, [32, 64, 128, 256]);
}

/// As the desktop entry specification has it, and as `desktop-file-validate` judges.
#[test]
fn the_desktop_entry_is_one() {
    let template = read("src-tauri/packaging/assent.desktop");
    let mut entry = template.clone();
    for (place, value) in [
        ("{{name}}", "Assent"),
        ("{{comment}}", "An agent"),
        ("{{exec}}", "assent-desktop"),
        ("{{icon}}", "assent-desktop"),
        ("{{categories}}", "Development;"),
    ] {
        assert!(entry.contains(place), "{place}");
        entry = entry.replace(place, value);
    }
    assert!(!entry.contains("{{"), "{entry}");
    let mut lines = entry.lines();
    assert_eq!(lines.next(), Some("[Desktop Entry]"));
    let keys: Vec<&str> = lines.map(|line| line.split_once('=').unwrap().0).collect();
    for key in ["Type", "Name", "Exec", "Icon", "Comment[zh_CN]", "Categories", "StartupWMClass"] {
        assert!(keys.contains(&key), "{key}");
    }
    let file = std::env::temp_dir().join(format!("assent-entry-{}.desktop", std::process::id()));
    std::fs::write(&file, entry).unwrap();
    let judged = entries::menu_problems(&file);
    std::fs::remove_file(&file).unwrap();
    nothing_against(judged, "desktop-file-validate");
}

/// Software centres leave out what their own validator refuses.
#[test]
fn the_store_entry_is_one() {
    let file = run::root().join("src-tauri/packaging/dev.assent.Assent.metainfo.xml");
    nothing_against(entries::store_problems(&file), "appstreamcli");
}

/// With CI set a missing validator fails; elsewhere the run says what it passed over.
fn nothing_against(judged: Option<Vec<String>>, validator: &str) {
    match judged {
        Some(problems) => assert_eq!(problems, [""; 0]),
        None => assert!(std::env::var_os("CI").is_none(), "{validator} must be installed here"),
    }
}

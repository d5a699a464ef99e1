#!/usr/bin/env python3
"""Renders icon.svg into every size the bundles need. Needs `chromium` and ImageMagick's `convert`.

Run from anywhere: `python3 icons/render.py`.
"""
import pathlib
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PNG = {"32x32.png": 32, "64x64.png": 64, "128x128.png": 128, "128x128@2x.png": 256, "icon.png": 512}
# https://en.wikipedia.org/wiki/Apple_Icon_Image_format: PNG-typed elements.
ICNS = {b"icp4": 16, b"icp5": 32, b"ic11": 32, b"ic12": 64, b"ic07": 128, b"ic13": 256, b"ic08": 256, b"ic14": 512, b"ic09": 512, b"ic10": 1024}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        page = work / "page.html"
        svg = (HERE / "icon.svg").read_text(encoding="utf-8")
        page.write_text(f'<body style="margin:0;background:transparent">{svg}</body>', encoding="utf-8")
        master = work / "master.png"
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--default-background-color=00000000",
             "--window-size=1024,1024", f"--screenshot={master}", page.as_uri()],
            check=True, stderr=subprocess.DEVNULL)

        def render(size: int, to: pathlib.Path) -> None:
            subprocess.run(["convert", master, "-resize", f"{size}x{size}", "-strip", f"PNG32:{to}"], check=True)

        for name, size in PNG.items():
            render(size, HERE / name)
        sizes = []
        for size in (16, 24, 32, 48, 64, 256):
            render(size, work / f"{size}.png")
            sizes.append(work / f"{size}.png")
        subprocess.run(["convert", *sizes, HERE / "icon.ico"], check=True)
        body = b""
        for kind, size in ICNS.items():
            render(size, work / "part.png")
            data = (work / "part.png").read_bytes()
            body += kind + struct.pack(">I", len(data) + 8) + data
        (HERE / "icon.icns").write_bytes(b"icns" + struct.pack(">I", len(body) + 8) + body)


main()

/** Prints the compressed size of the built JavaScript and fails above the limit. */
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT_KIB = 120;
const folder = new URL("../dist/assets/", import.meta.url);
let total = 0;
for (const name of readdirSync(folder).sort()) {
  const kib = gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length / 1024;
  if (name.endsWith(".js")) total += kib;
  console.log(`${kib.toFixed(1).padStart(7)} KiB  ${name}`);
}
console.log(`${total.toFixed(1).padStart(7)} KiB  JavaScript in all, gzip (limit ${LIMIT_KIB})`);
if (total > LIMIT_KIB) process.exit(1);

// Lints the workflows named on the command line; prints each finding and exits with 1 if there is one.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [library, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(library));
const lint = await createLinter();
for (const file of files) {
  for (const { line, column, kind, message } of lint(await readFile(file, "utf8"), file)) {
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    process.exitCode = 1;
  }
}

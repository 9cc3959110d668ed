// The tables as a fragment of Markdown, for the documentation.

import { captionOf } from "./results.mjs";
import { sectionsOf } from "./tables.mjs";

function draw({ title, head, rows, notes }) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const marked = rows.map((row) => row.map((cell) => cell.replace(/ ([a-z])$/, " <sup>$1</sup>")));
  const rule = head.map((_, column) => (column === 0 ? "---" : "---:"));
  const table = [line(head), line(rule), ...marked.map(line)].join("\n");
  const footnotes = notes.length > 0 ? `\n\n<sup>${notes.join("; ")}</sup>` : "";
  return `**${title}**\n\n${table}${footnotes}\n`;
}

export function markdownOf(results) {
  const sections = sectionsOf(results.rows).map(
    ({ section, tables }) => `### ${section}\n\n${tables.map(draw).join("\n")}`,
  );
  const made = `Made by \`${results.command}\` on ${captionOf(results)}.\n`;
  return `${made}\n${sections.join("\n")}`;
}

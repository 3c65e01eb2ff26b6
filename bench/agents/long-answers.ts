/** Answers of about 10,000 tokens, as models write them, by what they are made of. */
export const LONG_ANSWERS: Readonly<Record<string, string>> = {
  mixed: repeat(40, (part) =>
    [
      `## Part ${part}`,
      `It is **bold** here, \`code\` there, a [link](https://example.com/${part}) and some $x_${part}^2$. ${'And words to read. '.repeat(12)}`,
      `- one of ${part}\n- two, which is *longer*\n  - and within\n- three`,
      `\`\`\`ts\n${repeat(8, (line) => `const value${line} = compute(${part}, ${line}); // because\n`)}\`\`\``,
      `| name | of | size |\n|---|---|---|\n${repeat(4, (row) => `| row ${row} | part ${part} | ${row * part} |\n`)}`,
      `$$\n\\int_0^${part} x\\,dx\n$$`,
      `> Quoted, and said again. ${'More of it. '.repeat(4)}`,
    ].join('\n\n'),
  ),
  list: repeat(620, (item) => `- **Item ${item}**: with \`code\` and a few words that say what it is about\n`),
  code: `\`\`\`ts\n${repeat(800, (line) => `export const value${line} = compute(${line}, "a string"); // because\n`)}\`\`\`\n`,
  table: `| name | of | what it is | size |\n|---|---|---|---|\n${repeat(700, (row) => `| row ${row} | **part** | words to read of it | ${row} |\n`)}`,
};

function repeat(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(
    count < 100 && piece(0).startsWith('##') ? '\n\n' : '',
  );
}

/** Characters that models count as one. */
const TOKEN_CHARACTERS = 4;

export function tokensOf(text: string): string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${TOKEN_CHARACTERS}}`, 'g')) ?? [];
}

/** A link or an image of a Markdown file. */
export interface Link {
  /** As written, with its `#anchor`. */
  readonly target: string;
  /** From 1. */
  readonly line: number;
}

/** What the check needs to know of a Markdown file. */
export interface Markdown {
  readonly links: readonly Link[];
  /** Anchors of its headings, as GitHub makes them, and ids of its HTML. */
  readonly anchors: ReadonlySet<string>;
  /** Numbers of its sections: `4` for `## §4. Chats`. */
  readonly sections: ReadonlySet<string>;
  /** Text of its first heading of the first level. */
  readonly title: string | undefined;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LINK = /\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s+(\S+)/;

/** Reads links and headings of Markdown text. Blocks of code and code in a line have none. */
export function readMarkdown(text: string): Markdown {
  const links: Link[] = [];
  const anchors = new Set<string>();
  const sections = new Set<string>();
  let title: string | undefined;
  let fence: string | undefined;
  text.split('\n').forEach((raw, index) => {
    const mark = FENCE.exec(raw)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && raw.trim() === mark) fence = undefined;
      return;
    }
    if (mark !== undefined) {
      fence = mark;
      return;
    }
    const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/.exec(raw);
    if (heading) {
      const [, level, words = ''] = heading;
      if (level === '#') title ??= words;
      const section = /^§(\d+(?:\.\d+)*)/.exec(words)?.[1];
      if (section !== undefined) sections.add(section);
      anchors.add(uniqueAnchor(words, anchors));
    }
    for (const [, id = ''] of raw.matchAll(/<\w+[^>]*\s(?:id|name)="([^"]+)"/g)) anchors.add(id);
    const line = raw.replace(/(`+)[^`]*\1/g, '');
    const targets = [...line.matchAll(LINK)].map(([, target = '']) => target);
    const [, definition] = DEFINITION.exec(line) ?? [];
    if (definition !== undefined) targets.push(definition);
    for (const target of targets) links.push({ target, line: index + 1 });
  });
  return { links, anchors, sections, title };
}

/** The anchor of a heading as GitHub makes it; a second heading of the same words gets `-1`. */
function uniqueAnchor(heading: string, taken: ReadonlySet<string>): string {
  const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
  for (let count = 0; ; count++) {
    const candidate = count === 0 ? anchor : `${anchor}-${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

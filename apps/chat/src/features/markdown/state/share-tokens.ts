import type { Token, Tokens } from 'marked';

/**
 * Returns the newer token with equal parts taken from the older one, so that these are not rendered again. Only the new part
 * of a growing list or table is then rendered.
 */
export function shareTokens(older: Token | undefined, newer: Token): Token {
  if (older === undefined || older.type !== newer.type) return newer;
  switch (newer.type) {
    case 'list': {
      const [before, now] = [older as Tokens.List, newer as Tokens.List];
      if (before.loose !== now.loose) return newer;
      return { ...now, items: now.items.map((item, index) => shareItem(before.items[index], item)) };
    }
    case 'table': {
      const [before, now] = [older as Tokens.Table, newer as Tokens.Table];
      return {
        ...now,
        header: shareRow(before.header, now.header),
        rows: now.rows.map((row, index) => shareRow(before.rows[index], row)),
      };
    }
    case 'blockquote':
    case 'list_item':
      return { ...newer, tokens: shareAll((older as Tokens.Blockquote).tokens, (newer as Tokens.Blockquote).tokens) };
    default:
      return newer;
  }
}

function shareItem(older: Tokens.ListItem | undefined, newer: Tokens.ListItem): Tokens.ListItem {
  if (older === undefined) return newer;
  return older.raw === newer.raw ? older : (shareTokens(older, newer) as Tokens.ListItem);
}

/** Takes an older token as a whole only when its source is the same: a growing token may have been parsed differently. */
function shareAll(older: readonly Token[], newer: readonly Token[]): Token[] {
  return newer.map((token, index) => {
    const before = older[index];
    return before?.type === token.type && before.raw === token.raw ? before : shareTokens(before, token);
  });
}

function shareRow(older: Tokens.TableCell[] | undefined, newer: Tokens.TableCell[]): Tokens.TableCell[] {
  const isSame = older?.length === newer.length && older.every((cell, index) => cell.text === newer[index]?.text);
  return isSame ? older : newer;
}

/**
 * A query laid out over lines; undefined where that could change what it means: then it is best left as it is. Its two
 * dialects, the engine's and that of cloud warehouses, are tried one after the other.
 */
export async function formatSql(query: string): Promise<string | undefined> {
  const { bigquery, duckdb, formatDialect } = await import('sql-formatter');
  for (const dialect of [bigquery, duckdb]) {
    try {
      const formatted = formatDialect(query, { dialect, keywordCase: 'upper', tabWidth: 2, expressionWidth: 80 });
      if (isSame(query, formatted)) return formatted;
    } catch {
      // What one does not read, the other may.
    }
  }
  return undefined;
}

/** Whether two queries differ in blanks and the case of words alone, and no operator was taken apart. */
function isSame(one: string, other: string): boolean {
  const squeeze = (text: string) => text.replaceAll(/\s+/g, '').toLowerCase();
  return squeeze(one) === squeeze(other) && operators(one) === operators(other);
}

function operators(text: string): string {
  const bare = text.replaceAll(/'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  // A sign may stand apart from the operator before it.
  const runs = bare.replaceAll(/(?<=[=<>+*/%])(?=[-+][\w(.])/g, ' ').match(/[^\w\s()[\],.;]+/g);
  return (runs ?? []).join(' ');
}

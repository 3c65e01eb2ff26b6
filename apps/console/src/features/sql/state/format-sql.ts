/**
 * Returns a query formatted over several lines; undefined if formatting could change its meaning. Tries the engine's
 * dialect first, then that of cloud data warehouses.
 */
export async function formatSql(query: string): Promise<string | undefined> {
  const { bigquery, duckdb, formatDialect } = await import('sql-formatter');
  for (const dialect of [bigquery, duckdb]) {
    try {
      const formatted = formatDialect(query, { dialect, keywordCase: 'upper', tabWidth: 2, expressionWidth: 80 });
      if (isSame(query, formatted)) return formatted;
    } catch {
      // This dialect can't parse the query; the next one may.
    }
  }
  return undefined;
}

/** Returns whether two queries differ only in whitespace and letter case, with all operators intact. */
function isSame(one: string, other: string): boolean {
  const squeeze = (text: string) => text.replaceAll(/\s+/g, '').toLowerCase();
  return squeeze(one) === squeeze(other) && operators(one) === operators(other);
}

function operators(text: string): string {
  const bare = text.replaceAll(/'(?:[^']|'')*'|"[^"]*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
  // A sign may be separated from the operator before it.
  const runs = bare.replaceAll(/(?<=[=<>+*/%])(?=[-+][\w(.])/g, ' ').match(/[^\w\s()[\],.;]+/g);
  return (runs ?? []).join(' ');
}

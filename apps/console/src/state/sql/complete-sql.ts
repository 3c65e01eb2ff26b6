import { type Completion, type CompletionOption, matching } from '../code/completion.ts';

/** The relations and their columns. Source: docs/guides/sql.md. */
export const RELATIONS: Readonly<Record<string, readonly string[]>> = {
  logs: [
    ...['timestamp', 'severity', 'log_name', 'text_payload', 'json_payload', 'trace', 'insert_id'],
    ...[
      'resource.type',
      'resource.labels.service_name',
      'resource.labels.revision_name',
      'resource.labels.instance_id',
    ],
    ...['request_method', 'request_url', 'request_size', 'status', 'response_size', 'latency'].map(inRequest),
    ...['user_agent', 'remote_ip', 'protocol', 'cold_start'].map(inRequest),
  ],
  billing: [
    ...['usage_start_time', 'usage_end_time', 'service', 'sku', 'resource.name', 'usage.amount', 'usage.unit'],
    ...['cost', 'currency'],
  ],
};
const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'LIMIT', 'HAVING', 'WITH', 'AS', 'AND', 'OR', 'NOT', 'IN'],
  ...['BETWEEN', 'LIKE', 'IS NULL', 'DISTINCT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'DESC', 'JOIN', 'INTERVAL'],
];
const FUNCTIONS = [
  ...['COUNT(', 'SUM(', 'AVG(', 'MIN(', 'MAX(', 'COUNTIF(', 'APPROX_QUANTILES(', 'CAST(', 'SAFE_CAST(', 'SAFE_DIVIDE('],
  ...['TIMESTAMP_TRUNC(', 'TIMESTAMP_SUB(', 'TIMESTAMP_DIFF(', 'CURRENT_TIMESTAMP()', 'FORMAT_TIMESTAMP('],
  ...['JSON_VALUE(', 'REGEXP_CONTAINS('],
];

/** Completes relations behind FROM and JOIN, and columns, functions and keywords elsewhere. */
export function completeSql(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  if (isInside(before)) return undefined;
  const word = /[\w.]+$/.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) {
    return matching(Object.keys(RELATIONS).map(toOption('field')), word, from);
  }
  // With nothing written, all there is would be in the way.
  if (word === '' || /^\d/.test(word)) return undefined;
  const named = Object.keys(RELATIONS).filter((name) => new RegExp(`\\b(?:from|join)\\s+${name}\\b`, 'i').test(text));
  const columns = (named.length === 0 ? Object.keys(RELATIONS) : named).flatMap((name) => RELATIONS[name] ?? []);
  return matching(
    [...new Set(columns)]
      .map(toOption('field'))
      .concat(FUNCTIONS.map(toOption('value')), KEYWORDS.map(toOption('word'))),
    word,
    from,
  );
}

const toOption =
  (kind: CompletionOption['kind']) =>
  (text: string): CompletionOption => ({ text, kind });

/** Whether the caret is in a text or a comment. */
function isInside(before: string): boolean {
  const rest = before.replaceAll(/'(?:[^']|'')*'|\/\*[\s\S]*?\*\//g, '');
  return /'[^']*$/.test(rest) || /--[^\n]*$/.test(rest) || /\/\*/.test(rest);
}

function inRequest(column: string): string {
  return `http_request.${column}`;
}

/** Filters by the names that `answers.py` gives its own versions of them; each is asked of the logs route. */
export const FILTERS: Readonly<Record<string, string>> = {
  all: '',
  'errors of a user': 'severity>=ERROR AND jsonPayload.user_id="u-77"',
  'bad gateways': 'textPayload=~"\\" 50[0-9] \\d+ \\"-\\""',
  'failed passwords of users that exist': '"Failed Password" AND NOT "invalid user"',
  'slow errors of pino': 'jsonPayload.level>=50 jsonPayload.responseTime>900',
  'checkouts in a nested field': 'jsonPayload.req.url:"/checkout"',
  'Python traces': '"ValueError" severity=ERROR',
  'causes of Java': 'textPayload:"Caused by: java.net.SocketTimeoutException"',
  'slow requests': 'httpRequest.status>=500 AND httpRequest.latency>"1.5s"',
  'one team': 'labels.team="pay" jsonPayload.amount<100',
  'or before and': '"curl/8" OR googlebot "/cart"',
  emoji: 'message:"😀"',
  'an element of an array': 'jsonPayload.tags="t3" AND severity=NOTICE',
};

/** Those that are followed by a tail, too, while the lines come. */
export const TAILED = ['all', 'errors of a user', 'Python traces', 'causes of Java', 'slow requests'] as const;

/** Queries by the same names; `$name` is the deployment. Cents are whole, so that no order of adding shows in a sum. */
export const QUERIES: Readonly<Record<string, string>> = {
  severities: `SELECT severity, COUNT(*) AS n FROM logs WHERE $mine GROUP BY severity ORDER BY severity`,
  'users by what they paid': `SELECT JSON_VALUE(json_payload, '$.user_id') AS user, COUNT(*) AS n,
      CAST(SUM(ROUND(CAST(json_payload.amount AS FLOAT64) * 100)) AS INT64) AS cents
    FROM logs WHERE $mine AND JSON_VALUE(json_payload, '$.user_id') IS NOT NULL
    GROUP BY user ORDER BY cents DESC, user LIMIT 20`,
  'paths of the access log': `SELECT regexp_extract(text_payload, '"(GET|POST) ([^ ]+) HTTP', 2) AS path, COUNT(*) AS n
    FROM logs WHERE $mine AND regexp_matches(text_payload, '"(GET|POST) ([^ ]+) HTTP') GROUP BY path ORDER BY path`,
  pino: `SELECT COUNT(*) AS n, COUNTIF(CAST(json_payload.responseTime AS INT64) >= 500) AS slow,
      SUM(CAST(json_payload.responseTime AS INT64)) AS ms
    FROM logs WHERE $mine AND json_payload.responseTime IS NOT NULL`,
  statuses: `SELECT http_request.status AS status, COUNT(*) AS n FROM logs
    WHERE $mine AND http_request.status IS NOT NULL GROUP BY status ORDER BY status`,
};

/** The entries that a deployment printed. */
export function ofDeployment(query: string, name: string): string {
  return query.replace('$mine', `resource.labels.service_name = '${name}' AND log_name = 'stdout'`);
}

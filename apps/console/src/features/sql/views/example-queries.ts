/** Example queries by the message key of their name. */
export const EXAMPLE_QUERIES = {
  'sql.example.severity': `SELECT severity, COUNT(*) AS n
FROM logs
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
GROUP BY severity ORDER BY n DESC`,
  'sql.example.slow': `SELECT timestamp, resource.labels.service_name AS deployment, http_request.request_method AS method,
       http_request.request_url AS url, http_request.status AS status, http_request.latency AS seconds
FROM logs
WHERE log_name = 'requests' AND timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 DAY)
ORDER BY seconds DESC LIMIT 100`,
  'sql.example.cost': `SELECT resource.name AS deployment, sku, SUM(cost) AS cost
FROM billing
GROUP BY 1, 2 ORDER BY cost DESC`,
} as const;

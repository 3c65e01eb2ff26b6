/** A column of a relation: its name as written in a query, its type, and a description if the name is not enough. */
export interface SqlColumn {
  readonly name: string;
  readonly type: string;
}

function columns(types: Readonly<Record<string, string>>, prefix = ''): SqlColumn[] {
  return Object.entries(types).map(([name, type]) => ({ name: `${prefix}${name}`, type }));
}

/** Relations that can be queried, with their columns in order. Source: docs/guides/sql.md. */
export const RELATIONS: Readonly<Record<string, readonly SqlColumn[]>> = {
  logs: [
    ...columns({ timestamp: 'TIMESTAMP', severity: 'VARCHAR', log_name: 'VARCHAR', text_payload: 'VARCHAR' }),
    ...columns({ json_payload: 'JSON', 'resource.type': 'VARCHAR' }),
    ...columns({ service_name: 'JSON', revision_name: 'JSON', instance_id: 'JSON' }, 'resource.labels.'),
    ...columns(
      {
        request_method: 'VARCHAR',
        request_url: 'VARCHAR',
        request_size: 'BIGINT',
        status: 'INTEGER',
        response_size: 'BIGINT',
        latency: 'DOUBLE',
        user_agent: 'VARCHAR',
        remote_ip: 'VARCHAR',
        protocol: 'VARCHAR',
        cold_start: 'JSON',
      },
      'http_request.',
    ),
    ...columns({ trace: 'VARCHAR', insert_id: 'VARCHAR' }),
  ],
  billing: [
    ...columns({ usage_start_time: 'TIMESTAMP', usage_end_time: 'TIMESTAMP', service: 'VARCHAR', sku: 'VARCHAR' }),
    ...columns({ 'resource.name': 'VARCHAR', 'usage.amount': 'DECIMAL', 'usage.unit': 'VARCHAR' }),
    ...columns({ cost: 'DECIMAL', currency: 'VARCHAR' }),
  ],
};

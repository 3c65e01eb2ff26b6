/** A plot: bars of one unit, in groups that are compared within themselves. */
export interface Topic {
  /** File name in `docs/images`, without `performance-` and extension. */
  readonly name: string;
  /** Label of the axis, with the unit. */
  readonly axis: string;
  readonly groups: readonly Group[];
  /** All bars are of Berth, e.g. ratios. */
  readonly isOurs?: boolean;
}

/** Bars of one group, from top to bottom. */
export interface Group {
  /** Label of the group; empty when it is the only one. */
  readonly label: string;
  /** Label of each bar, and its result: file in `bench/results` and title of the figure. "Berth" is highlighted. */
  readonly bars: readonly (readonly [label: string, file: string, title: string])[];
}

const PROXIES = { berth: 'Berth', nginx: 'nginx', haproxy: 'HAProxy', caddy: 'Caddy', traefik: 'Traefik' };

const toCaddy = (label: string, scenario: string) => [label, 'throughput', `berth / caddy: ${scenario}`] as const;

/** One question to a log, asked of several programs. */
const question = (label: string, title: string, peers: Readonly<Record<string, string>>): Group => ({
  label,
  bars: [
    ['Berth', 'logs', `${title}, median`],
    ...Object.entries(peers).map(([peer, name]) => [peer, 'logs', `${title}: ${name}`] as const),
  ],
});

const toNginx = (size: string) => [`${size}, in memory`, 'volumes', `${size} in memory: rate / that of nginx`] as const;

const DATABASES = ['SQLite', 'Postgres', 'Postgres and S3, 1 server', 'Postgres and S3, 3 servers'];

const onDatabases = (label: string, operation: string): Group => ({
  label,
  bars: DATABASES.map((database) => [database, 'databases', `${database}: ${operation}, median`]),
});

/** The plots of docs/performance.md. */
export const TOPICS: readonly Topic[] = [
  {
    name: 'requests',
    axis: 'Requests per CPU second, 64 connections',
    groups: [
      {
        label: '',
        bars: Object.entries(PROXIES).map(
          ([id, name]) => [name, 'throughput', `${id}: requests, 64 connections, per CPU second`] as const,
        ),
      },
    ],
  },
  {
    name: 'traffic',
    axis: "Berth's rate per CPU second / Caddy's; more is better",
    isOurs: true,
    groups: [
      {
        label: '',
        bars: [
          toCaddy('HTTP/1.1', 'requests, 64 connections'),
          toCaddy('TLS, kept connections', 'TLS: requests, kept connections'),
          toCaddy('TLS, new sessions', 'TLS: new sessions'),
          toCaddy('TLS, resumed sessions', 'TLS: resumed sessions'),
          toCaddy('HTTP/2 over TLS', 'HTTP/2 over TLS: requests, 8 × 8 streams'),
          toCaddy('responses of 16 KiB', 'responses of 16 KiB'),
          toCaddy('requests of 16 KiB', 'requests of 16 KiB'),
          toCaddy('responses of 1 MiB', 'responses of 1 MiB'),
          toCaddy('requests of 1 MiB', 'requests of 1 MiB'),
          toCaddy('WebSocket messages', 'WebSocket messages there and back, 64 connections'),
          toCaddy('server-sent events', 'events, 100 streams'),
        ],
      },
    ],
  },
  {
    name: 'cold-starts',
    axis: 'Request to answer of a service without instances, median (ms)',
    groups: [
      {
        label: 'As a process',
        bars: [
          ['Berth', 'cold-start', 'cold start, request to answer, median'],
          ['node server.js', 'cold-start', 'bare `node server.js` to first 200, median'],
        ],
      },
      {
        label: 'In a container',
        bars: [
          ['Berth', 'docker-cold-start', 'cold start, request to answer, median'],
          ['docker start', 'docker-cold-start', '`docker start` by hand to first 200, median'],
        ],
      },
      {
        label: 'On Kubernetes',
        bars: [
          ['Berth', 'kubernetes-cold-start', 'cold start, request to answer, median'],
          ['kubectl create', 'kubernetes-cold-start', 'Pod created by hand to first 200, median'],
        ],
      },
    ],
  },
  {
    name: 'redeploys',
    axis: 'Upload to the new revision serving, median (ms)',
    groups: [
      {
        label: 'As a process',
        bars: [
          ['Berth', 'redeploy', 'hello-node: upload to DONE, median'],
          ['npm install, node', 'redeploy', 'hello-node: the same by hand, median'],
        ],
      },
      {
        label: 'In a container',
        bars: [
          ['Berth', 'docker-redeploy', 'hello-node: upload to DONE, median'],
          ['docker build, run', 'docker-redeploy', 'hello-node: docker build, docker run, first 200, median'],
        ],
      },
    ],
  },
  {
    name: 'logs',
    axis: 'Time to the answer over 10 million lines, median (ms)',
    groups: [
      question('Severity and a field of JSON', 'filter by severity and a JSON field', {
        'DuckDB on the files': 'DuckDB on the files',
        VictoriaLogs: 'VictoriaLogs',
      }),
      question('A word that occurs once', 'search for a rare word', { VictoriaLogs: 'VictoriaLogs' }),
      question('Count by severity', 'count by severity', {
        'DuckDB on the files': 'DuckDB on the files',
        VictoriaLogs: 'VictoriaLogs',
      }),
    ],
  },
  {
    name: 'uploads',
    axis: "Rate of uploads / nginx's; more is better",
    isOurs: true,
    groups: [
      {
        label: '',
        bars: [
          toNginx('1 KiB'),
          toNginx('1 MiB'),
          toNginx('16 MiB'),
          ['1 GiB, on disk', 'volumes', 'in: rate / that of nginx'],
        ],
      },
    ],
  },
  {
    name: 'first-token',
    axis: "Time added to the model's first token, median (ms)",
    groups: [
      {
        label: 'One turn',
        bars: [
          ['Berth', 'agent-first-token', 'first token, added at one turn: p50'],
          ['AI SDK', 'agent-first-token', 'AI SDK: added at one turn'],
          ['LangGraph.js', 'agent-first-token', 'LangGraph.js: added at one turn'],
        ],
      },
      {
        label: '100 turns at once',
        bars: [
          ['Berth', 'agent-first-token', 'at 100 at once: p50'],
          ['AI SDK', 'agent-first-token', 'AI SDK: at 100 at once'],
          ['LangGraph.js', 'agent-first-token', 'LangGraph.js: at 100 at once'],
        ],
      },
    ],
  },
  {
    name: 'databases',
    axis: 'Latency of an API call, median (ms)',
    isOurs: true,
    groups: [
      onDatabases('List deployments', 'list deployments'),
      onDatabases('Create a key', 'create a key'),
      onDatabases('Set a variable', 'set a variable'),
    ],
  },
];

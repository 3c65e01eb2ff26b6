/** A plot: bars of one unit, in groups that are compared within themselves. */
export interface Topic {
  /** File name in `docs/images`, without `performance-` and extension. */
  readonly name: string;
  /** Label of the axis, with the unit. */
  readonly axis: string;
  readonly groups: readonly Group[];
}

/** Bars of one group, from top to bottom. */
export interface Group {
  /** Label of the group; empty when it is the only one. */
  readonly label: string;
  /** Label of each bar, and its result: file in `bench/results` and title of the figure. Labels that begin with "Berth" are highlighted. */
  readonly bars: readonly (readonly [label: string, file: string, title: string])[];
}

const atRate = (file: string) =>
  (['berth', 'nginx', 'haproxy', 'caddy'] as const).map(
    (name) => [NAMES[name], file, `${name}: requests per CPU second`] as const,
  );

const NAMES = { berth: 'Berth', nginx: 'nginx', haproxy: 'HAProxy', caddy: 'Caddy' };

const DATABASES = ['SQLite', 'Postgres', 'Postgres and S3, 1 server', 'Postgres and S3, 3 servers'];

const onDatabases = (label: string, operation: string): Group => ({
  label,
  bars: DATABASES.map((database) => [`Berth on ${database}`, 'databases', `${database}: ${operation}, median`]),
});

/** The plots of docs/performance.md. */
export const TOPICS: readonly Topic[] = [
  { name: 'requests', axis: 'Requests per CPU second', groups: [{ label: '', bars: atRate('throughput') }] },
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
    groups: [
      onDatabases('List deployments', 'list deployments'),
      onDatabases('Create a key', 'create a key'),
      onDatabases('Set a variable', 'set a variable'),
    ],
  },
];

import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** The folder of the chart. */
export const CHART = path.join(ROOT, 'deploy/helm/berth');
/** The version with which the manifests in deploy/helm/rendered are rendered. */
const HELM = 'v3.22.0';
/** Helm that `go install` built takes clusters for very old ones. */
const CLUSTER_VERSION = ['--kube-version', '1.35.0'];

/** Why the tests of the chart are skipped, and what to install. */
export const NO_HELM = `needs Helm: go install helm.sh/helm/v3/cmd/helm@${HELM}, with its folder on the PATH`;

/** Returns Helm's program, where `go install` puts it; undefined when it isn't installed. */
export function findHelm(): string | undefined {
  const candidates = ['helm', path.join(process.env['GOBIN'] ?? path.join(homedir(), 'go/bin'), 'helm')];
  return candidates.find((program) => spawnSync(program, ['version'], { stdio: 'ignore' }).status === 0);
}

/** Files with values for typical clusters, by name. The guide of Kubernetes uses them too. */
export const EXAMPLES = ['k3s', 'production', 'load-balancer'] as const;
/** A name in {@link EXAMPLES}. */
export type Example = (typeof EXAMPLES)[number];

/** Returns the file of an example's values. */
export function exampleFile(example: Example): string {
  return path.join(ROOT, `deploy/helm/examples/${example}.yaml`);
}

/** Returns the file with the manifests that the chart renders for an example. */
export function renderedFile(example: Example): string {
  return path.join(ROOT, `deploy/helm/rendered/${example}.yaml`);
}

/** Options of {@link renderChart}. */
export interface RenderOptions {
  readonly helm: string;
  readonly example: Example;
  readonly namespace?: string;
  /** More values, as `key=value`. */
  readonly set?: readonly string[];
  /** Only these templates. */
  readonly templates?: readonly string[];
}

/** Renders the chart. @throws Error with what Helm says */
export function renderChart({ helm, example, namespace = 'berth', set = [], templates = [] }: RenderOptions): string {
  return runTemplate(helm, [
    ...['berth', CHART, '--namespace', namespace, '--values', exampleFile(example)],
    ...set.flatMap((value) => ['--set', value]),
    ...templates.flatMap((name) => ['--show-only', `templates/${name}.yaml`]),
  ]);
}

/** Renders a chart as `helm install` with these words would. @throws Error with what Helm says */
export function runTemplate(helm: string, words: readonly string[]): string {
  return runHelm(helm, ['template', ...words, ...CLUSTER_VERSION]);
}

/** Checks the chart with the values of an example. @throws Error with what Helm says */
export function lintChart(helm: string, example: Example): string {
  return runHelm(helm, ['lint', CHART, '--strict', '--values', exampleFile(example), ...CLUSTER_VERSION]);
}

function runHelm(helm: string, words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(helm, words, { encoding: 'utf8', cwd: ROOT });
  if (status !== 0) throw new Error(`helm ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { EXAMPLES, findHelm, NO_HELM, renderChart } from './helm.ts';
import { readPermissions } from './permissions.ts';

const permissions = readPermissions();

describe('the permissions of the chart', () => {
  // Fails when the runtime makes a request that its role doesn't allow, and when a role allows what nothing needs.
  it('are those of the requests that the runtime, the builder and the collector make', () => {
    const granted = permissions.flatMap(({ apiGroup, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => `${apiGroup}/${resource} ${verb}`)),
    );
    expect([...new Set(granted)].sort()).toEqual(findRequests());
  });
});

/** Returns the requests in the sources of the runtime, as `group/resource verb`. */
function findRequests(): string[] {
  const folder = path.resolve(import.meta.dirname, '../../packages/runtime-kubernetes/src');
  const files = globSync('**/*.ts', { cwd: folder }).filter(
    (file) => !file.endsWith('.test.ts') && !file.startsWith('testing/'),
  );
  const source = files.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n');
  const found = new Set<string>();
  const note = (kind: string, ...verbs: readonly string[]) => {
    const group = kind === 'NetworkPolicy' ? 'networking.k8s.io' : '';
    for (const verb of verbs) found.add(`${group}/${kind.toLowerCase().replace(/y$/, 'ie')}s ${verb}`);
  };
  const VERBS = { create: 'create', read: 'get', list: 'list', delete: 'delete', deleteCollection: 'deletecollection' };
  const CALL =
    /\b(create|read|list|deleteCollection|delete)(?:Namespaced)?(Pod|Secret|ConfigMap|Node|PersistentVolume(?:Claim)?)(?:ForAllNamespaces)?\(\{/g;
  for (const [, verb, kind = ''] of source.matchAll(CALL)) note(kind, VERBS[verb as keyof typeof VERBS]);
  // Objects that are applied. Pods are created, since no field of theirs changes.
  for (const [, kind = ''] of source.matchAll(/apiVersion: '[^']+',\s+kind: '(\w+)',\s+(?:type|metadata)/g))
    if (kind !== 'Pod') note(kind, 'create', 'patch');
  if (source.includes('makeInformer<V1Pod>')) note('Pod', 'watch');
  // A connection is a GET that, since Kubernetes 1.35, needs `create` too.
  if (source.includes('new Exec(')) for (const verb of ['get', 'create']) found.add(`/pods/exec ${verb}`);
  if (source.includes('/log?container=')) found.add('/pods/log get');
  if (source.includes("'/metrics/resource'")) found.add('/nodes/metrics get');
  return [...found].sort();
}

const helm = findHelm();
const NO_CLUSTER = 'by design: runs on the cluster of KUBECONFIG, and this machine has none';
if (process.env['KUBECONFIG'] === undefined) {
  test(NO_CLUSTER, (context) => context.skip(NO_CLUSTER));
} else if (helm === undefined) {
  test(NO_HELM, (context) => {
    context.skip(NO_HELM);
  });
} else {
  describe('the chart on a cluster', { timeout: 120_000 }, () => {
    const id = randomBytes(3).toString('hex');
    const namespace = `chart-system-${id}`;
    const prefix = `chart-${id}`;
    const server = `system:serviceaccount:${namespace}:berth`;
    const collector = `${server}-collector`;
    const manifest = (templates: readonly string[]) =>
      renderChart({
        ...{ helm, example: 'production', namespace, templates },
        set: [`services.namespacePrefix=${prefix}`],
      });

    beforeAll(async () => {
      kubectl(['create', 'namespace', namespace]);
      kubectl(['apply', '--filename=-'], manifest(['rbac', 'admission-policy']));
      // The API server reads new policies with a delay.
      while (attempt(asServer(configMap('default'))).isAllowed) await sleep(500);
    });
    afterAll(() => {
      const names = manifest(['rbac', 'admission-policy']);
      kubectl(['delete', '--ignore-not-found', '--wait=false', '--filename=-'], names);
      kubectl(['delete', 'namespace', '--ignore-not-found', '--wait=false', namespace, `${prefix}-acme`]);
    });

    it.for(EXAMPLES)('accepts the manifests of %s', (example) => {
      // Of the same prefix as above: a dry run makes no namespace for the Role in it.
      const set = [`services.namespacePrefix=${prefix}`];
      const documents = renderChart({ helm, example, namespace, set }).split(/^---$/m);
      // The kinds of add-ons are unknown to a cluster without them.
      const known = documents.filter((document) => !/^apiVersion: .*(cert-manager|gateway|coreos)/m.test(document));
      expect(known.length).toBeGreaterThan(10);
      kubectl(['apply', '--dry-run=server', '--filename=-'], known.join('\n---\n'));
    });

    it('takes the Secrets that docs/guides/kubernetes.md creates', () => {
      const guide = readFileSync(path.join(import.meta.dirname, '../../docs/guides/kubernetes.md'), 'utf8');
      const commands = [
        ...guide.matchAll(/^ *\$ kubectl --namespace berth create secret generic (.*?)(?: --dry-run.*)?$/gm),
      ];
      expect(commands.length).toBeGreaterThan(3);
      const rendered = EXAMPLES.map((example) => renderChart({ helm, example })).join('\n');
      for (const [, words = ''] of commands) {
        const [name = '', ...literals] = words.replaceAll(/--from-file=key=\S+/g, '--from-literal=key=x').split(' ');
        const dryRun = ['--dry-run=server', '--output=json', `--namespace=${namespace}`];
        const made = kubectl(['create', 'secret', 'generic', name, ...literals, ...dryRun]);
        const { data } = JSON.parse(made) as { readonly data: Readonly<Record<string, string>> };
        for (const key of Object.keys(data)) expect(rendered).toContain(`{ name: ${name}, key: ${key} }`);
      }
    });

    it('allows what the table lists', () => {
      const questions = permissions.flatMap(({ role, where, apiGroup, resources, verbs }) =>
        resources.flatMap((resource) =>
          verbs.map((verb) => ({
            user: role === 'server' ? server : collector,
            namespace: { berth: namespace, builds: `${prefix}-builds` }[where as string] ?? `${prefix}-acme`,
            ...{ group: apiGroup, resource, verb },
          })),
        ),
      );
      expect(ask(questions).filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    });

    it('allows nothing dangerous', () => {
      const of = (user: string, verbs: string, resource: string, place = 'kube-system', group = '') =>
        verbs.split(' ').map((verb) => ({ user, verb, resource, namespace: place, group }));
      const both = [server, collector].flatMap((user) => [
        ...of(user, 'get list watch delete', 'secrets'),
        ...of(user, 'get list watch delete', 'secrets', `${prefix}-acme`),
        ...of(user, 'get list', 'configmaps'),
        ...of(user, 'create get', 'pods/exec'),
        ...of(user, 'create get', 'pods/exec', `${prefix}-acme`),
        ...of(user, 'create get', 'pods/attach', `${prefix}-builds`),
        ...of(user, 'create get', 'pods/portforward'),
        ...of(user, 'update patch', 'pods/ephemeralcontainers'),
        ...of(user, 'update patch deletecollection', 'pods'),
        ...of(user, 'create update patch delete', 'nodes'),
        ...of(user, 'get create', 'nodes/proxy'),
        ...of(user, 'delete list', 'namespaces'),
        ...of(user, 'create', 'serviceaccounts/token'),
        ...of(user, 'create update patch impersonate', 'serviceaccounts'),
        ...of(user, 'impersonate', 'users'),
        ...of(user, 'create update patch bind escalate', 'clusterroles', '', 'rbac.authorization.k8s.io'),
        ...of(user, 'create update patch', 'clusterrolebindings', '', 'rbac.authorization.k8s.io'),
        ...of(user, 'create update patch bind escalate', 'roles', namespace, 'rbac.authorization.k8s.io'),
        ...of(user, 'create update patch', 'rolebindings', namespace, 'rbac.authorization.k8s.io'),
        ...of(user, 'create delete', 'validatingadmissionpolicies', '', 'admissionregistration.k8s.io'),
        ...of(user, 'create', 'mutatingwebhookconfigurations', '', 'admissionregistration.k8s.io'),
        ...of(user, 'create', 'deployments', 'kube-system', 'apps'),
        ...of(user, 'approve', 'certificatesigningrequests', '', 'certificates.k8s.io'),
      ]);
      const ofCollector = [
        'pods',
        'pods/exec',
        'secrets',
        'configmaps',
        'namespaces',
        'persistentvolumes',
        'pods/log',
      ].flatMap((resource) => of(collector, 'get create patch delete', resource));
      expect(ask([...both, ...ofCollector]).filter(({ isAllowed }) => isAllowed)).toEqual([]);
    });

    it("confines the servers to accounts' namespaces", () => {
      const acme = `${prefix}-acme`;
      const allowed = [
        asServer(namespaceOf(acme, 'restricted')),
        asServer(configMap(acme)),
        asServer(secret(acme)),
        asServer(pod(acme, {})),
      ].map(attempt);
      expect(allowed.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
      const refused = [
        // A patch would answer with what is in the Secret.
        asServer(secret('kube-system')),
        asServer(secret(namespace)),
        asServer(configMap('default')),
        asServer(pod('default', {})),
        asServer(namespaceOf('kube-public', 'restricted')),
        asServer(namespaceOf(`${prefix}-other`, 'privileged')),
        asServer(namespaceOf(`other-${id}`, 'restricted')),
        asServer(pod(acme, { automountServiceAccountToken: true })),
        asServer(volume(`${prefix}-acme-volumes`, { hostPath: { path: '/etc' } })),
        asServer(volume('other', { nfs: { server: '192.0.2.1', path: '/' } })),
      ].map(attempt);
      expect(refused.filter(({ isAllowed }) => isAllowed)).toEqual([]);
      for (const { message } of refused) expect(message).toContain('ValidatingAdmissionPolicy');
      // Pod Security would refuse these anyway in an account's namespace; in that of builds only the policy does.
      const ofBuilds = [
        { hostNetwork: true },
        { hostPID: true },
        { volumes: [{ name: 'host', hostPath: { path: '/' } }] },
        { containers: [{ name: 'c', image: 'x', securityContext: { privileged: true } }] },
        { containers: [{ name: 'c', image: 'x', securityContext: { capabilities: { add: ['SYS_ADMIN'] } } }] },
        { initContainers: [{ name: 'i', image: 'x', securityContext: { privileged: true } }] },
      ].map((spec) => attempt(asServer(pod(`${prefix}-builds`, spec))));
      expect(ofBuilds.filter(({ isAllowed }) => isAllowed)).toEqual([]);
      expect(attempt(asServer(pod(`${prefix}-builds`, {}))).isAllowed).toBe(true);
    });

    function asServer(object: object): Attempt {
      return { user: server, object };
    }
  });
}

interface Attempt {
  readonly user: string;
  readonly object: object;
}

function namespaceOf(name: string, level: string): object {
  const labels = { 'pod-security.kubernetes.io/enforce': level };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

function configMap(namespace: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart-test', namespace } };
}

function secret(namespace: string): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'chart-test', namespace } };
}

function volume(name: string, source: object): object {
  const spec = { accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' }, ...source };
  return { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name }, spec };
}

/** A Pod that an account's namespace accepts, but for `spec`. */
function pod(namespace: string, spec: object): object {
  const securityContext = { runAsNonRoot: true, runAsUser: 1, seccompProfile: { type: 'RuntimeDefault' } };
  const ofContainer = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'chart-test-', namespace },
    spec: {
      ...{ automountServiceAccountToken: false, securityContext },
      containers: [{ name: 'c', image: 'x', securityContext: ofContainer }],
      ...spec,
    },
  };
}

/** Has a user create or apply an object, for real only where a later attempt needs it. */
function attempt({ user, object }: Attempt): { readonly object: object; isAllowed: boolean; message: string } {
  const { kind } = object as { kind: string };
  const isKept = kind === 'Namespace' && user !== '';
  const words =
    kind === 'Pod'
      ? ['create', '--dry-run=server']
      : ['apply', '--server-side', ...(isKept ? [] : ['--dry-run=server'])];
  const { status, stderr } = spawnSync('kubectl', [...words, `--as=${user}`, '--validate=false', '--filename=-'], {
    ...{ encoding: 'utf8', input: JSON.stringify(object) },
  });
  return { object, isAllowed: status === 0, message: stderr };
}

interface Question {
  readonly user: string;
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

/** Asks the API server what users may do. */
function ask(questions: readonly Question[]): readonly (Question & { readonly isAllowed: boolean })[] {
  const items = questions.map(({ user, namespace, group, verb, ...question }) => {
    const [resource, subresource] = question.resource.split('/');
    return {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user, resourceAttributes: { namespace, group, verb, resource, ...(subresource && { subresource }) } },
    };
  });
  const answers = kubectl(
    ['create', '--output=jsonpath={.status.allowed}{"\\n"}', '--filename=-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  )
    .trim()
    .split('\n');
  expect(answers.length).toBe(questions.length);
  return questions.map((question, index) => ({ ...question, isAllowed: answers[index] === 'true' }));
}

/** Returns what kubectl prints. @throws Error with what it says */
function kubectl(words: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('kubectl', words, { encoding: 'utf8', input });
  if (status !== 0) throw new Error(`kubectl ${words.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

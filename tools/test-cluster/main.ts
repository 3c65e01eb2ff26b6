// Prepares the cluster of KUBECONFIG for tests: `node tools/test-cluster/main.ts REGISTRY FOLDER`, such as `10.0.0.1:5000 /srv/volumes`.
// The registry takes images over plain HTTP; all nodes have the folder, as a single machine's nodes do. Takes the base images of the engine of
// BERTH_TEST_ENGINE (tools/base-images), and needs skopeo. Prints settings for a shell.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openEngine, parseEngineAddress } from '@berth/runtime-docker';
import { KubeConfig, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';
import { deriveImage } from '../base-images/derive-image.ts';

const [registry, folder] = process.argv.slice(2);
const engine = process.env['BERTH_TEST_ENGINE'];
if (registry === undefined || folder === undefined || engine === undefined) {
  throw new Error('usage: BERTH_TEST_ENGINE=unix:///… node tools/test-cluster/main.ts REGISTRY FOLDER');
}

const { docker } = await openEngine(parseEngineAddress(engine));
await deriveImage(docker, {
  image: 'berth-test/builder',
  dockerfile: path.join(import.meta.dirname, '../../deploy/images/builder/Dockerfile'),
  files: {},
  args: { BASE: 'berth-base/debian' },
});
const IMAGES = {
  'berth-test/builder': ['berth-builder:1'],
  // Bases of builds, and of the images that tests make without a build.
  'berth-base/node': ['node:24-slim', 'node:26'],
  'berth-base/debian': ['debian:13-slim'],
};
for (const [image, names] of Object.entries(IMAGES)) {
  for (const name of names) {
    const [source, target] = [`docker-daemon:${image}:latest`, `docker://${registry}/${name}`];
    const options = ['--quiet', '--insecure-policy', '--dest-tls-verify=false', '--src-daemon-host', engine];
    execFileSync('skopeo', ['copy', ...options, source, target], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

mkdirSync(folder, { recursive: true });
const config = new KubeConfig();
config.loadFromDefault();
const objects = KubernetesObjectApi.makeApiClient(config);
const claim = { accessModes: ['ReadWriteMany'], storageClassName: '' };
const storage = '10Gi';
for (const object of [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'shared' },
    spec: {
      ...claim,
      capacity: { storage },
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: folder },
      claimRef: { namespace: 'default', name: 'shared' },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'shared' },
    spec: { ...claim, volumeName: 'shared', resources: { requests: { storage } } },
  },
]) {
  await objects.patch(object, undefined, undefined, 'berth-test', true, PatchStrategy.ServerSideApply);
}
console.log(`export BERTH_TEST_REGISTRY=${registry} BERTH_TEST_VOLUMES=${folder}`);

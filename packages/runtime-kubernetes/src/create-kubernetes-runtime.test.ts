import { describeRuntime } from '@berth/runtime/contract';
import { describe, test } from 'vitest';
import { createKubernetesHarness, findTestCluster } from './testing/kubernetes-harness.ts';

const cluster = findTestCluster();
if (!cluster) {
  describe('runtime: kubernetes', () => {
    test.skip('this machine has no KUBECONFIG and BERTH_TEST_REGISTRY', () => {});
  });
} else {
  describeRuntime('kubernetes', {
    create: () => createKubernetesHarness(cluster),
    skip: [
      {
        reason:
          'does not apply to this driver: the API server gives both streams as one, and nothing slows the program down',
        tests: [
          'hands over all output, in order, before the exit',
          'hands over raw bytes',
          'a slow reader slows the program down and loses nothing',
          'one that crashes while another runs leaves the other alone',
          'one that prints 100 MB as fast as it can',
          'a reader that fails does not harm the program',
        ],
      },
      {
        reason:
          'does not apply to this driver: a kubelet signals the first process only, and kills the others when it has ended',
        tests: ['SIGTERM reaches children too, and what stays is killed'],
      },
      {
        reason: 'does not apply to this driver: a cluster does not tell the ports of a Pod',
        tests: ['tells the ports it listens on, wherever they are'],
      },
      {
        reason: 'does not apply to this driver: connections are made to the address of the Pod',
        tests: ['connects to the loopback of an instance'],
      },
    ],
  });
}

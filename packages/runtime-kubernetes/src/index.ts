export type { NamespacePolicy } from './account/account-namespaces.ts';
export { type Kube, openKube } from './api/kube.ts';
export { REGISTRY_SECRET, type RegistryOptions } from './api/registry.ts';
export { type ClusterBuilderOptions, createClusterBuilder } from './build/create-cluster-builder.ts';
export type { PodPolicy } from './pod/pod-spec.ts';
export { createKubernetesRuntime, type KubernetesRuntimeOptions } from './run/create-kubernetes-runtime.ts';
export { watchNodePods } from './watch-node-pods.ts';

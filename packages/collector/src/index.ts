export { type CollectedPod, type CollectorOptions, createCollector } from './create-collector.ts';

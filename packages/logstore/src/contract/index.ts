export { describeLogStore, type LogStoreHarness } from './describe-log-store.ts';
export { type CatalogueHarness, describeSegmentCatalogue } from './describe-segment-catalogue.ts';

import { describeConfiguration } from './stage/describe-configuration.ts';

describeConfiguration('root-without-bubblewrap');

import { describeConfiguration } from './stage/describe-configuration.ts';

describeConfiguration('plain-user+bubblewrap');

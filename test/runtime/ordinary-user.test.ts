import { describeAsOrdinaryUser } from '../ordinary-user.ts';

const file = (name: string) => `test/runtime/${name}.test.ts`;
const TIMEOUT = 300_000;

describeAsOrdinaryUser(
  'bwrap',
  ['sandbox', 'process', 'answering', 'process-conformance'].map(file),
  TIMEOUT,
);
describeAsOrdinaryUser('unshare', ['sandbox', 'process'].map(file), TIMEOUT);

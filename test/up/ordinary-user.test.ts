import { describeAsOrdinaryUser } from '../ordinary-user.ts';

describeAsOrdinaryUser('bwrap', ['test/up/isolation.test.ts'], 300_000);

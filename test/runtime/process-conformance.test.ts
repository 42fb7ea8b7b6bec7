import { describeRuntime } from '../../src/runtime/conformance.ts';
import { ProcessLab } from './process-lab.ts';

describeRuntime('the process runtime', () => ProcessLab.new());

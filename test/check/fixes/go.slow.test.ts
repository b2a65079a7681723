import { checkFixesOf } from './receivers/check-fixes.js';

checkFixesOf('Go');

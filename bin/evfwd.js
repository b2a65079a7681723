#!/usr/bin/env node
require('../dist/cli/evfwd.cjs').main(process.argv);

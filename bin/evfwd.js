#!/usr/bin/env node
// Any Node must be able to parse this file, so that an old one can say what is needed.
var needed = [20, 18, 1];
var found = process.versions.node.split('.').map(Number);

function isOld() {
  for (var i = 0; i < needed.length; i++) {
    if (found[i] !== needed[i]) return found[i] < needed[i];
  }
  return false;
}

function fail(code, message) {
  var error = { error: { code: code, message: message } };
  var asJson = process.argv.indexOf('--json') !== -1;
  process.stderr.write((asJson ? JSON.stringify(error) : 'evfwd: ' + message) + '\n');
  process.exitCode = 2;
}

var program = require('path').join(__dirname, '../dist/cli/evfwd.cjs');

if (isOld()) {
  var version = 'Node.js ' + process.versions.node;
  fail('old_node', version + ' is too old; use Node.js ' + needed.join('.') + ' or later');
} else if (!require('fs').existsSync(program)) {
  fail('not_built', 'the program is not built; run npm ci in its folder');
} else {
  require(program).main(process.argv);
}

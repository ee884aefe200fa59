#!/usr/bin/env node
// What `npx florin` finds inside the repository: the same launcher as bin/florin.js.
import '../../bin/florin.js'

import { openBrowserScene } from './browserScene.ts'
import { testPhone } from './pages/phone.ts'
import { testRefusals } from './pages/refusals.ts'
import { testSigning, testTaking } from './pages/signing.ts'

const scene = openBrowserScene()

testSigning(scene)
testTaking(scene)
testRefusals(scene)
testPhone(scene)

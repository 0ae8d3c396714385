import { openBrowserScene } from './browserScene.ts'
import { testOutages } from './pages/outages.ts'

testOutages(openBrowserScene())

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Weights} from "../src/libraries/Weights.sol";
import {TestBase} from "./TestBase.sol";

contract WeightsTest is TestBase {
    using Weights for uint80;

    /// @dev Against a plain list of scores by round: rounds that were missed, and scores that were changed later.
    function testFuzz_LanesAreTheLastEightRounds(
        uint16[12] memory scores,
        uint16 missed,
        uint8 at,
        uint16 later
    ) public pure {
        uint16[12] memory plain;
        uint80 lanes = 0;
        uint256 newest = 0;
        for (uint256 round = 0; round < 12; ++round) {
            if ((missed >> round) & 1 == 1) continue;
            plain[round] = scores[round] % 1001;
            lanes = lanes.ahead(round - newest).withScore(0, plain[round]);
            newest = round;
        }
        uint256 changed = at % (newest + 1);
        later %= 1001;
        plain[changed] = later;
        lanes = lanes.withScore(newest - changed, later);
        uint256 sum = 0;
        for (uint256 round = newest > 7 ? newest - 7 : 0; round < newest; ++round) sum += plain[round];
        vm.assertEq(lanes.before(), sum);
        vm.assertEq(lanes & 1023, plain[newest]);
        vm.assertEq(lanes.ahead(8), 0);
        vm.assertEq(lanes.ahead(type(uint256).max), 0);
    }

    function test_AScoreWeighsAtMostFiveQuartersOfItsMean() public pure {
        vm.assertEq(Weights.weightOf(1000, 7000), 32_000);
        // One missed round of eight costs nothing more, two cost a sixteenth.
        vm.assertEq(Weights.weightOf(1000, 6000), 32_000);
        vm.assertEq(Weights.weightOf(1000, 5000), 30_000);
        vm.assertEq(Weights.weightOf(1000, 0), 5_000);
        vm.assertEq(Weights.weightOf(0, 7000), 0);
    }
}

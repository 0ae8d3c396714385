// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {RoundHistory} from "../src/libraries/RoundHistory.sol";
import {TestBase} from "./TestBase.sol";

contract RoundHistoryTest is TestBase {
    using RoundHistory for uint256;

    mapping(uint64 round => uint32 number) internal plain;

    function test_AnEmptyHistoryIsZero() public pure {
        vm.assertEq(uint256(0).at(0), 0);
        vm.assertEq(uint256(0).at(type(uint64).max), 0);
    }

    function test_RevertWhen_TheRoundIsForgotten() public {
        uint256 word = uint256(0).set(3, 7).set(9, 8);
        vm.assertEq(word.at(4), 7);
        vm.expectRevert(abi.encodeWithSelector(RoundHistory.RoundHistory_Forgotten.selector, 3, 4));
        this.read(word, 3);
    }

    /// @dev Against a number kept for every round.
    function testFuzz_RemembersTheLastSixRounds(uint256 seed) public {
        uint256 word = 0;
        uint64 last = 0;
        for (uint256 step = 0; step < 12; ++step) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint64 round = last + uint64((seed >> 8) % 9);
            for (uint64 r = last + 1; r <= round; ++r) plain[r] = plain[last];
            plain[round] = uint32(seed >> 32);
            word = word.set(round, plain[round]);
            last = round;
            for (uint64 r = last > 5 ? last - 5 : 0; r <= last; ++r) vm.assertEq(word.at(r), plain[r]);
            vm.assertEq(word.at(last + 100), plain[last]);
        }
    }

    function read(uint256 word, uint64 round) external pure returns (uint32 number) {
        return word.at(round);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {JuryVotes} from "../src/libraries/JuryVotes.sol";
import {Tally} from "../src/libraries/Tally.sol";
import {TestBase} from "./TestBase.sol";

contract JuryVotesTest is TestBase {
    using JuryVotes for uint256;

    /// @dev Against a plain list: as many votes as a jury has seats, and ends of the range more often than they come.
    function testFuzz_VotesAreCountedAsInAPlainList(uint256 drawn, uint256 number) public {
        uint16[] memory cast = new uint16[](bound(mixed(number), 0, 23));
        uint256 votes = 0;
        for (uint256 i = 0; i < cast.length; ++i) {
            cast[i] = voteOf(mixed(drawn));
            votes = votes.withVote(cast[i]);
        }
        uint256 low = bound(mixed(drawn), 0, 1000);
        uint256 high = bound(mixed(drawn), low, 1025);
        (uint256 unavailable, uint256 within) = (0, 0);
        for (uint256 i = 0; i < cast.length; ++i) {
            if (cast[i] == Tally.UNAVAILABLE) ++unavailable;
            else if (cast[i] >= low && cast[i] <= high) ++within;
        }
        vm.assertEq(votes.heard(), cast.length);
        vm.assertEq(votes.unavailable(), unavailable);
        vm.assertEq(votes.countWithin(low, high), within);
        for (uint256 place = 0; place < cast.length - unavailable; ++place) {
            vm.assertEq(votes.scoreAt(place), takeLowest(cast));
        }
    }

    function voteOf(uint256 draw) internal pure returns (uint16 scoreMilli) {
        uint16[4] memory ends = [0, 1, Tally.MAX_SCORE, Tally.UNAVAILABLE];
        return draw % 8 < 4 ? ends[draw % 4] : uint16((draw >> 8) % 1001);
    }

    /// @dev Takes the lowest of a list out of it; what is taken counts as unavailable.
    function takeLowest(uint16[] memory list) internal pure returns (uint16 lowest) {
        uint256 at = 0;
        for (uint256 i = 1; i < list.length; ++i) if (list[i] < list[at]) at = i;
        (lowest, list[at]) = (list[at], Tally.UNAVAILABLE);
    }
}

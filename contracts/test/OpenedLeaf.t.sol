// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Openings} from "../src/Openings.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {Tally} from "../src/libraries/Tally.sol";
import {VotesFixture} from "./VotesFixture.sol";

/// @dev Shows which leaf a word of openings agrees on.
contract OpenedLeafProbe is Openings {
    constructor(IRewardVotes votes) Openings(votes) {}

    function agreedIn(uint64 round, uint256 word) external pure returns (uint32 index, uint16 medianMilli) {
        (index, medianMilli, ) = _agreedIn(round, word);
    }
}

/// @dev Which leaf five seats agree on, by the leaf that each of them opened.
contract OpenedLeafTest is VotesFixture {
    uint256 internal constant NONE = type(uint256).max;

    OpenedLeafProbe internal probe;

    function setUp() public override {
        super.setUp();
        probe = new OpenedLeafProbe(votes);
    }

    function test_TheLeafOfMoreThanHalfIsAgreed() public view {
        expectLeaf([uint256(3), 3, 3, 1, 1], 3, 102);
        expectLeaf([uint256(1), 3, 3, 1, 3], 3, 103);
        expectLeaf([uint256(7), NONE, 7, NONE, NONE], 7, 101);
        expectLeaf([NONE, 4, 5, NONE, 4], 4, 102);
    }

    function test_HalfIsNoMajority() public view {
        expectLeaf([uint256(3), 3, 1, 1, NONE], 0, Tally.UNAVAILABLE);
        expectLeaf([uint256(3), 3, 1, 2, NONE], 0, Tally.UNAVAILABLE);
        expectLeaf([uint256(0), 0, 1, 1, NONE], 0, Tally.UNAVAILABLE);
        expectLeaf([uint256(3), 1, 3, 1, 2], 0, Tally.UNAVAILABLE);
        expectLeaf([uint256(3), 1, NONE, NONE, NONE], 0, Tally.UNAVAILABLE);
        expectLeaf([uint256(3), NONE, NONE, NONE, NONE], 0, Tally.UNAVAILABLE);
        expectLeaf([NONE, NONE, NONE, NONE, NONE], 0, Tally.UNAVAILABLE);
    }

    /// @dev The seat at position p gave its leaf 101 + p. That a shard is closed, or its task paid, counts for no leaf.
    function expectLeaf(uint256[5] memory opened, uint32 leaf, uint16 median) internal view {
        uint256 word = 1 << 224;
        for (uint256 i = 0; i < 5; ++i) if (opened[i] != NONE) word |= ((opened[i] << 16) | (102 + i)) << (32 * i);
        for (uint256 flags = 0; flags < 4; ++flags) {
            (uint32 index, uint16 medianMilli) = probe.agreedIn(0, word | (flags << 160));
            vm.assertEq(index, leaf);
            vm.assertEq(medianMilli, median);
        }
    }
}

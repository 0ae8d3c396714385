// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Openings} from "../src/Openings.sol";
import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRewardVotes} from "../src/interfaces/IRewardVotes.sol";
import {SpecificationFields} from "../src/libraries/SpecificationFields.sol";
import {Tally} from "../src/libraries/Tally.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

/// @dev Shows the leaf that any place draws, and what a word of openings agrees on.
contract DrawnLeafProbe is Openings {
    constructor(IRewardVotes votes) Openings(votes) {}

    function drawnLeaf(Opening calldata opening, uint128 place) external view returns (uint32 index) {
        return _drawnLeaf(opening, place);
    }

    function agreedIn(uint64 round, uint256 word) external pure returns (uint32 index, uint16 medianMilli) {
        (index, medianMilli, ) = _agreedIn(round, word);
    }
}

/// @dev Which leaf seats open.
contract DrawnLeafTest is OpeningsFixture {
    uint256 internal constant NONE = type(uint256).max;

    DrawnLeafProbe internal probe;

    function setUp() public override {
        super.setUp();
        probe = new DrawnLeafProbe(votes);
        probe.describe(SPECIFICATION, 1, 13);
    }

    /// @dev Every place, of each number of leaves that a peer may commit: from the place on, starting over at the end.
    function test_DrawsTheFirstCommittedLeafOfTheSample() public {
        enterRound(1);
        for (leafCount = 1; leafCount <= 8; ++leafCount) {
            for (uint128 place = 0; place < 9; ++place) expectDrawn(place);
        }
    }

    function testFuzz_DrawsTheFirstCommittedLeafOfTheSample(uint128 place, uint32 count) public {
        leafCount = 1 + (count % 8);
        enterRound(1);
        expectDrawn(place);
    }

    /// @dev The specification samples one leaf of 8: each place draws it.
    function test_DrawsTheOnlySampledLeaf() public {
        bytes memory specification = hex"a26a6f7765644c6561766573086d73616d706c65644c656176657301";
        rounds.setEnvironment(1, keccak256(specification));
        probe.describe(specification, 1, 13);
        enterRound(1);
        enterRound(2);
        base = 1;
        IOpenings.Opening memory opening = bareOpening();
        for (uint128 place = 0; place < 3; ++place) {
            vm.assertEq(probe.drawnLeaf(opening, place), plainSample()[0]);
        }
    }

    /// @dev The majority would choose whose task is paid.
    function test_RevertWhen_AMajorityOpensAnotherLeaf() public {
        play(500, 500, 500);
        for (uint256 i = 0; i < 2; ++i) {
            IOpenings.Opening memory opening = openingOf(i, drawnIndex ^ 1);
            expectNotDrawn();
            openAs(i, opening);
        }
        for (uint256 i = 0; i < 3; ++i) openAs(i, openingOf(i));
        enterRound(5);
        openings.close(0, 0);
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(openings.earnedOf(evaluators[i]), 40 ether);
    }

    /// @dev Any leaf but the drawn one, of the sample or not, from the first seat and from the second.
    function testFuzz_RevertWhen_AnotherLeafIsOpened(uint32 index) public {
        index %= 8;
        play(500, 500, 500);
        if (index == drawnIndex) index ^= 1;
        IOpenings.Opening memory opening = openingOf(0, index);
        expectNotDrawn();
        openAs(0, opening);
        openAs(1, openingOf(1));
        expectNotDrawn();
        openAs(0, opening);
        openAs(0, openingOf(0));
    }

    /// @dev With 5 leaves of 8 the place is a leaf that the peer did not commit for some draws, and one that it did for
    /// others.
    function test_OpensThroughGapsOfTheSample() public {
        bool isWrapped = false;
        leafCount = 5;
        for (base = 0; base < 120; base += 12) {
            if (base != 0) enterRound(base);
            playVotes(500, 500, 500, 1);
            openAs(0, openingOf(0));
            openAs(1, openingOf(1));
            (uint32 index, uint16 medianMilli) = openings.agreedOf(base, 0);
            vm.assertEq(index, drawnIndex);
            vm.assertEq(medianMilli, 500);
            if (plainSample()[openingPlace() % 4] != drawnIndex) isWrapped = true;
        }
        vm.assertTrue(isWrapped);
    }

    function test_RevertWhen_NoLeafOfTheSampleIsCommitted() public {
        enterRound(1);
        leafCount = 0;
        IOpenings.Opening memory opening = bareOpening();
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, 0, 0));
        probe.drawnLeaf(opening, 3);
    }

    function test_RevertWhen_TheEnvironmentIsNotDescribed() public {
        openings = new Openings(votes);
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotDescribed.selector, 0, ENVIRONMENT));
        openAs(0, opening);
        openings.describe(SPECIFICATION, 1, 13);
        openAs(0, opening);
    }

    function test_DescribesAnyEnvironmentOnce() public {
        openings = new Openings(votes);
        vm.expectEmit(address(openings));
        emit IOpenings.EnvironmentDescribed(ENVIRONMENT, 8, 4);
        openings.describe(SPECIFICATION, 1, 13);
        expectSample(ENVIRONMENT, 8, 4);
        // Offsets do not matter: it is done.
        vm.recordLogs();
        openings.describe(SPECIFICATION, 2, 2);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        expectSample(ENVIRONMENT, 8, 4);
        expectSample(keccak256("another"), 0, 0);
    }

    /// @dev The specification samples 9 leaves of 8.
    function test_NoMoreLeavesAreSampledThanAreOwed() public {
        bytes memory specification = hex"a26a6f7765644c6561766573086d73616d706c65644c656176657309";
        openings.describe(specification, 1, 13);
        expectSample(keccak256(specification), 8, 8);
    }

    function test_RevertWhen_AFieldIsNotThere() public {
        openings = new Openings(votes);
        for (uint256 offset = 0; offset < 40; ++offset) {
            if (offset != 1) expectNotThere(offset);
            if (offset != 1) openings.describe(SPECIFICATION, offset, 13);
            if (offset != 13) expectNotThere(offset);
            if (offset != 13) openings.describe(SPECIFICATION, 1, offset);
        }
        expectSample(ENVIRONMENT, 0, 0);
    }

    function test_TheMedianOfTwoSeatsAtLeastIsAgreed() public view {
        expectMedian([uint256(101), 102, 103, 104, 105], 103);
        expectMedian([uint256(7), NONE, 5, NONE, NONE], 5);
        expectMedian([NONE, 0, 1000, NONE, 4], 4);
        expectMedian([uint256(3), NONE, NONE, NONE, NONE], Tally.UNAVAILABLE);
        expectMedian([NONE, NONE, NONE, NONE, NONE], Tally.UNAVAILABLE);
        (uint32 index, uint16 medianMilli) = probe.agreedIn(1, 1 << 224);
        vm.assertEq(index, 0);
        vm.assertEq(medianMilli, Tally.UNAVAILABLE);
    }

    /// @dev The seats gave their scores to the leaf 65,535. That a shard is closed, or its task paid, and how far off the
    /// votes were, changes neither.
    function expectMedian(uint256[5] memory opened, uint16 median) internal view {
        uint256 word = (1 << 224) | (65_535 << 80);
        for (uint256 i = 0; i < 5; ++i) if (opened[i] != NONE) word |= ((i << 10) | (opened[i] + 1)) << (16 * i);
        for (uint256 flags = 0; flags < 4; ++flags) {
            (uint32 index, uint16 medianMilli) = probe.agreedIn(0, word | (flags << 96));
            vm.assertEq(index, median == Tally.UNAVAILABLE ? 0 : 65_535);
            vm.assertEq(medianMilli, median);
        }
    }

    /// @dev Where the sample has no committed leaf, nothing is drawn.
    function expectDrawn(uint128 place) internal {
        IOpenings.Opening memory opening = bareOpening();
        uint32 expected = drawnFrom(plainSample(), place);
        if (expected == NO_LEAF) {
            vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, 0, 0));
            probe.drawnLeaf(opening, place);
        } else vm.assertEq(probe.drawnLeaf(opening, place), expected);
    }

    /// @dev An opening with only what the draw reads.
    function bareOpening() internal view returns (IOpenings.Opening memory opening) {
        (opening.ballot.round, opening.peerKey, opening.work.leafCount) = (base, solvers[0], leafCount);
    }

    function expectSample(bytes32 environmentHash, uint16 owed, uint16 sampled) internal view {
        (uint16 owedThere, uint16 sampledThere) = openings.sampleOf(environmentHash);
        vm.assertEq(owedThere, owed);
        vm.assertEq(sampledThere, sampled);
    }

    function expectNotThere(uint256 offset) internal {
        vm.expectRevert(abi.encodeWithSelector(SpecificationFields.SpecificationFields_NotThere.selector, offset));
    }

    function expectNotDrawn() internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotDrawnLeaf.selector, 0, solvers[0], drawnIndex));
    }
}

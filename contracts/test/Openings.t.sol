// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

contract OpeningsTest is OpeningsFixture {
    function test_NamesItsParts() public view {
        vm.assertEq(address(openings.rewardVotes()), address(votes));
        vm.assertEq(address(openings.rounds()), address(rounds));
        vm.assertEq(openings.OPENING_EMISSION_WEI(), 100 ether);
        vm.assertEq(address(nectar.openings()), address(openings));
    }

    function test_PaysTheSeatsWhoseScoresAgree() public {
        play(600, 610, 300);
        for (uint256 i = 0; i < 3; ++i) openings.open(openingOf(i, 0));
        (uint8 opened, bool closed) = openings.stateOf(0, 0);
        vm.assertEq(opened, 3);
        vm.assertFalse(closed);
        enterRound(5);
        uint8 paid = uint8((1 << ballots[0].position) | (1 << ballots[1].position));
        vm.expectEmit(address(openings));
        emit IOpenings.OpeningsClosed(0, 0, 0, 600, paid, 50 ether);
        openings.close(0, 0);
        (, closed) = openings.stateOf(0, 0);
        vm.assertTrue(closed);
        vm.assertEq(openings.earnedOf(evaluators[0]), 50 ether);
        vm.assertEq(openings.earnedOf(evaluators[1]), 50 ether);
        vm.assertEq(openings.earnedOf(evaluators[2]), 0);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 50 ether);
        uint256 agreed = votes.earnedOf(evaluators[0]);
        vm.assertEq(nectar.claimable(evaluators[0]), agreed + 50 ether);
        vm.assertEq(nectar.claim(evaluators[0]), agreed + 50 ether);
        vm.assertEq(nectar.claimable(evaluators[0]), 0);
    }

    function test_TellsWhatWasOpened() public {
        play(600, 600, 600);
        IOpenings.Opening memory opening = openingOf(0, 1);
        vm.expectEmit(address(openings));
        emit IOpenings.ComponentOpened(0, evaluators[0], 0, solvers[0], 1, 400);
        openings.open(opening);
    }

    function test_ASeatThatDoesNotOpenIsNotPaid() public {
        play(600, 600, 600);
        openings.open(openingOf(0, 0));
        openings.open(openingOf(1, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 50 ether);
        vm.assertEq(openings.earnedOf(evaluators[2]), 0);
    }

    function test_OneAloneIsPaidNothing() public {
        play(600, 600, 600);
        openings.open(openingOf(0, 0));
        enterRound(5);
        vm.expectEmit(address(openings));
        emit IOpenings.OpeningsClosed(0, 0, 0, GONE, 0, 0);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 0);
    }

    function test_AnotherLeafThanMostOpenedIsPaidNothing() public {
        play(500, 500, 500);
        openings.open(openingOf(0, 1));
        openings.open(openingOf(1, 0));
        openings.open(openingOf(2, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 0);
        vm.assertEq(openings.earnedOf(evaluators[1]), 50 ether);
    }

    function test_NoLeafOpenedByMostPaysNobody() public {
        play(500, 500, 500);
        openings.open(openingOf(0, 1));
        openings.open(openingOf(1, 0));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]) + openings.earnedOf(evaluators[1]), 0);
    }

    function test_ClosingWhatNobodyOpenedChangesNothing() public {
        play(500, 500, 500);
        enterRound(5);
        openings.close(0, 0);
        (uint8 opened, bool closed) = openings.stateOf(0, 0);
        vm.assertEq(opened, 0);
        vm.assertFalse(closed);
    }

    function test_DrawsByTheBeaconOfTheRevealingRound() public {
        play(500, 500, 500);
        (uint32 ordinal, uint128 place) = openings.drawnOf(0, 0);
        vm.assertEq(ordinal, 0);
        bytes32 seed = keccak256(
            abi.encode("waggle opening", block.chainid, uint64(0), rounds.beaconOf(2), bytes32(0), uint32(0))
        );
        vm.assertEq(place, uint128(uint256(seed)));
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, 0, 1));
        openings.drawnOf(0, 1);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, 2, 0));
        openings.drawnOf(2, 0);
    }

    function test_RevertWhen_OutOfItsRound() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0, 0);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 5, 4));
        openings.close(0, 0);
        enterRound(5);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 4, 5));
        openings.open(opening);
    }

    function test_RevertWhen_OpenedTwice() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0, 0);
        openings.open(opening);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_AlreadyOpened.selector, 0, evaluators[0]));
        openings.open(opening);
    }

    function test_RevertWhen_TheBallotIsNotTheOneRevealed() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0, 0);
        opening.ballot.componentRoots[0] = bytes32("another");
        expectNotRevealed(0);
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.salt = bytes32("another");
        expectNotRevealed(0);
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.ballot.position = 5;
        expectNotRevealed(0);
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.ballot.evaluatorKey = evaluators[1];
        expectNotRevealed(1);
        openings.open(opening);
    }

    function test_RevertWhen_TheVoteDisagrees() public {
        cast[2] = 526;
        play(500, 500, 500);
        openings.open(openingOf(1, 0));
        IOpenings.Opening memory opening = openingOf(2, 0);
        expectDisagrees(2);
        openings.open(opening);
    }

    function test_RevertWhen_ThePeerWasNotScored() public {
        cast = [GONE, GONE, 500];
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(2, 0);
        expectDisagrees(2);
        openings.open(opening);
    }

    function test_RevertWhen_AnotherPeerIsOpened() public {
        commitBoth(solvers[1]);
        playVotes(500, 500, 500, 2);
        (uint32 ordinal, ) = openings.drawnOf(0, 0);
        IOpenings.Opening memory opening = openingOf(0, 0);
        opening.peerKey = ordinal == 0 ? solvers[0] : solvers[1];
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotDrawn.selector, opening.peerKey, ordinal));
        openings.open(opening);
    }

    function test_RevertWhen_TheLeafIsNotThePeers() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0, 0);
        opening.leaf.seed = bytes32("another");
        expectNotItsLeaf();
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.work.leafCount = 3;
        expectNotItsLeaf();
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.leaf.index = 2;
        expectNotItsLeaf();
        openings.open(opening);
    }

    function test_RevertWhen_TheScoreIsNotTheBallots() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0, 0);
        opening.scoreMilli = 501;
        expectNotItsScore();
        openings.open(opening);
        opening = openingOf(0, 0);
        opening.scoreMilli = 1001;
        expectNotItsScore();
        openings.open(opening);
    }

    /// @dev However the scores lie, no more than the emission is earned, and only within the tolerance of the median.
    function testFuzz_PaysAtMostTheEmission(uint16 a, uint16 b, uint16 c) public {
        play(a % 1001, b % 1001, c % 1001);
        for (uint256 i = 0; i < 3; ++i) openings.open(openingOf(i, 0));
        enterRound(5);
        openings.close(0, 0);
        uint256 sum = 0;
        uint16 median = medianOf(scores[0], scores[1], scores[2]);
        for (uint256 i = 0; i < 3; ++i) {
            uint256 earned = openings.earnedOf(evaluators[i]);
            uint16 apart = scores[i] > median ? scores[i] - median : median - scores[i];
            vm.assertTrue((earned != 0) == (apart <= 25));
            sum += earned;
        }
        vm.assertLe(sum, 100 ether);
        vm.assertLe(99 ether, sum);
    }

    function medianOf(uint16 a, uint16 b, uint16 c) internal pure returns (uint16 median) {
        if (a > b) (a, b) = (b, a);
        if (b > c) (b, c) = (c, b);
        return a > b ? a : b;
    }

    function expectNotRevealed(uint256 evaluator) internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotRevealed.selector, 0, evaluators[evaluator]));
    }

    function expectDisagrees(uint256 evaluator) internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_VoteDisagrees.selector, 0, evaluators[evaluator]));
    }

    function expectNotItsScore() internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotItsScore.selector, 0, evaluators[0]));
    }
}

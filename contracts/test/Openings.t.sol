// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IOpenings} from "../src/interfaces/IOpenings.sol";
import {IRolloutCommitments} from "../src/interfaces/IRolloutCommitments.sol";
import {OpeningsFixture} from "./OpeningsFixture.sol";

contract OpeningsTest is OpeningsFixture {
    function test_NamesItsParts() public view {
        vm.assertEq(address(openings.rewardVotes()), address(votes));
        vm.assertEq(address(openings.rounds()), address(rounds));
        vm.assertEq(openings.OPENING_EMISSION_WEI(), 200 ether);
        vm.assertEq(address(nectar.openings()), address(openings));
    }

    function test_PaysTheSeatsWhoseScoresAgree() public {
        play(600, 610, 300);
        for (uint256 i = 0; i < 3; ++i) openAs(i, openingOf(i));
        (uint8 opened, bool closed) = openings.stateOf(0, 0);
        vm.assertEq(opened, 3);
        vm.assertFalse(closed);
        enterRound(5);
        uint256[5] memory paidWei;
        (paidWei[ballots[0].position], paidWei[ballots[1].position]) = (40 ether, 40 ether);
        vm.expectEmit(address(openings));
        emit IOpenings.OpeningsClosed(0, 0, drawnIndex, 600, paidWei);
        openings.close(0, 0);
        (opened, closed) = openings.stateOf(0, 0);
        vm.assertEq(opened, 3);
        vm.assertTrue(closed);
        vm.assertEq(openings.earnedOf(evaluators[0]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[1]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[2]), 0);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 40 ether);
        vm.assertEq(nectar.claimable(evaluators[0]), 40 ether);
        vm.assertEq(nectar.claim(evaluators[0]), 40 ether);
        vm.assertEq(nectar.claimable(evaluators[0]), 0);
    }

    /// @dev One peer is in it, after the 32 of the first.
    function test_DrawsFromTheSecondShard() public {
        bytes32 last;
        for (uint256 i = 0; i < 33; ++i) {
            last = enrol(300 + i, accountNamed(300 + i));
            commitRollouts(last);
        }
        enterRound(1);
        rounds.drawBeacon(0);
        for (uint256 i = 0; i < 3; ++i) {
            ballots[i] = ballotOf(0, evaluators[i], scoresOf(500));
            ballots[i].shard = 1;
            ballots[i].position = positionOf(0, 1, evaluators[i]);
            commitBallot(ballots[i]);
        }
        enterRound(2);
        for (uint256 i = 0; i < 3; ++i) revealBallot(ballots[i]);
        enterRound(3);
        bytes32[] memory page = new bytes32[](1);
        page[0] = last;
        votes.settle(0, 1, page);
        enterRound(4);
        (uint32 ordinal, ) = openings.drawnOf(0, 1);
        vm.assertEq(ordinal, 32);
    }

    function test_TellsWhatWasOpened() public {
        play(600, 600, 600);
        IOpenings.Opening memory opening = openingOf(0);
        vm.expectEmit(address(openings));
        emit IOpenings.ComponentOpened(0, evaluators[0], 0, opening.ballot.position, solvers[0], drawnIndex, 600);
        openAs(0, opening);
    }

    function test_ASeatThatDoesNotOpenIsNotPaid() public {
        play(600, 600, 600);
        openAs(0, openingOf(0));
        openAs(1, openingOf(1));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[2]), 0);
    }

    /// @dev The median of the votes is 500: the last lies as far off as it may.
    function test_PayFallsWithTheVotesDistanceFromWhatWasSettled() public {
        cast = [500, 490, 525];
        play(600, 600, 600);
        for (uint256 i = 0; i < 3; ++i) openAs(i, openingOf(i));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 40 ether);
        vm.assertEq(openings.earnedOf(evaluators[1]), (40 ether * 16) / uint256(26));
        vm.assertEq(openings.earnedOf(evaluators[2]), 40 ether / uint256(26));
    }

    /// @dev A newcomer's 500 weighs 2,500, where the round before had 4,500.
    function test_ARoundThatWeighsLessThanThoseBeforePaysLess() public {
        commitRollouts(solvers[1]);
        voteAlike(0, scoresOf(900));
        bytes32[] memory page = new bytes32[](1);
        page[0] = solvers[1];
        votes.settle(0, 0, page);
        enterRound(6);
        base = 6;
        play(600, 600, 600);
        (uint256 weight, uint256 meanWeight) = weightsIn(6);
        vm.assertEq(weight, 2_500);
        vm.assertEq(meanWeight, 4_500);
        for (uint256 i = 0; i < 3; ++i) openAs(i, openingOf(i));
        enterRound(11);
        openings.close(6, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), (uint256(200 ether) * 2_500) / 4_500 / 5);
    }

    /// @dev The third seat's missed pay goes to nobody.
    function test_NobodyGainsFromTheSilenceOfOthers() public {
        play(600, 600, 600);
        openAs(0, openingOf(0));
        openAs(1, openingOf(1));
        enterRound(5);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]) + openings.earnedOf(evaluators[1]), 80 ether);
    }

    function test_OneAloneIsPaidNothing() public {
        play(600, 600, 600);
        openAs(0, openingOf(0));
        enterRound(5);
        uint256[5] memory nothing;
        vm.expectEmit(address(openings));
        emit IOpenings.OpeningsClosed(0, 0, 0, GONE, nothing);
        openings.close(0, 0);
        vm.assertEq(openings.earnedOf(evaluators[0]), 0);
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
        IOpenings.Opening memory opening = openingOf(0);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 5, 4));
        openings.close(0, 0);
        enterRound(5);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, 0, 4, 5));
        openAs(0, opening);
    }

    function test_RevertWhen_TheRoundIsTheLastNumber() public {
        play(500, 500, 500);
        uint64 last = type(uint64).max;
        IOpenings.Opening memory opening = openingOf(0);
        opening.ballot.round = last;
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, last, uint256(last) + 4, 4));
        openAs(0, opening);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_WrongRound.selector, last, uint256(last) + 5, 4));
        openings.close(last, 0);
        for (uint64 round = last - 2; ; ++round) {
            vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, round, 0));
            openings.drawnOf(round, 0);
            if (round == last) break;
        }
    }

    function test_RevertWhen_OpenedTwice() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        openAs(0, opening);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_AlreadyOpened.selector, 0, evaluators[0]));
        openAs(0, opening);
    }

    /// @dev A stranger would choose which of its scores each seat opens.
    function test_RevertWhen_AnotherAccountOpens() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        expectNotSeatAccount(accountNamed(200));
        vm.prank(accountNamed(200));
        openings.open(opening);
        expectNotSeatAccount(accountNamed(101));
        openAs(1, opening);
        openAs(0, openingOf(0));
    }

    /// @dev The key's new account may, and the old one no more.
    function test_AKeyThatMovedOpensFromItsNewAccount() public {
        play(500, 500, 500);
        address moved = accountNamed(300);
        enrolNow(100, moved);
        IOpenings.Opening memory opening = openingOf(0);
        expectNotSeatAccount(accountNamed(100));
        openAs(0, opening);
        vm.prank(moved);
        openings.open(opening);
        (uint8 opened, ) = openings.stateOf(0, 0);
        vm.assertEq(opened, 1);
    }

    function test_RevertWhen_TheBallotIsNotTheOneRevealed() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        opening.ballot.componentRoots[0] = bytes32("another");
        expectNotRevealed(0);
        openAs(0, opening);
        opening = openingOf(0);
        opening.salt = bytes32("another");
        expectNotRevealed(0);
        openAs(0, opening);
        opening = openingOf(0);
        opening.ballot.position = 5;
        expectNotRevealed(0);
        openAs(0, opening);
        opening = openingOf(0);
        opening.ballot.evaluatorKey = evaluators[1];
        expectNotRevealed(1);
        openAs(1, opening);
    }

    function test_RevertWhen_TheVoteDisagrees() public {
        cast[2] = 526;
        play(500, 500, 500);
        openAs(1, openingOf(1));
        IOpenings.Opening memory opening = openingOf(2);
        expectDisagrees(2);
        openAs(2, opening);
    }

    function test_RevertWhen_ThePeerIsItsOwn() public {
        solvers[0] = enrol(300, registry.accountOf(evaluators[2]));
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(2);
        expectDisagrees(2);
        openAs(2, opening);
    }

    function test_RevertWhen_ThePeerWasNotScored() public {
        cast = [GONE, GONE, 500];
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(2);
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NothingDrawn.selector, 0, 0));
        openAs(2, opening);
    }

    /// @dev The second of two peers has no points: whatever the beacon is, the first is drawn, and its shard is whole.
    function test_OpensThePeerWithPoints() public {
        for (base = 0; base < 60; base += 12) {
            if (base != 0) enterRound(base);
            commitBoth(solvers[1]);
            playVotes(500, 500, 500, 2);
            (uint32 ordinal, ) = openings.drawnOf(base, 0);
            vm.assertEq(ordinal, 1);
            (, uint256 peers, , ) = votes.totalsOf(base);
            vm.assertEq(peers, 1);
        }
    }

    function test_RevertWhen_AnotherPeerIsOpened() public {
        commitBoth(solvers[1]);
        playVotes(500, 500, 500, 2);
        IOpenings.Opening memory opening = openingOf(0);
        opening.peerKey = solvers[1];
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotDrawn.selector, solvers[1], 1));
        openAs(0, opening);
    }

    function test_RevertWhen_TheLeafIsNotThePeers() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        opening.leaf.seed = bytes32("another");
        expectNotUnderRoot(opening.leaf);
        openAs(0, opening);
        opening = openingOf(0);
        opening.work.leafCount = 7;
        vm.expectRevert(
            abi.encodeWithSelector(IRolloutCommitments.RolloutCommitments_NotCommitted.selector, 0, solvers[0])
        );
        openAs(0, opening);
    }

    function test_RevertWhen_TheTreeHasMorePlacesThanLeaves() public {
        isDeeper = true;
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        bytes32[] memory proof = opening.componentProof;
        opening.componentProof = new bytes32[](4);
        for (uint256 i = 0; i < 3; ++i) opening.componentProof[i] = proof[i];
        expectNotItsScore();
        openAs(0, opening);
        opening.componentProof = new bytes32[](257);
        expectNotItsScore();
        openAs(0, opening);
    }

    /// @dev A leaf that nobody is asked to open leaves its place to a second score of one that somebody may be.
    function test_RevertWhen_TheScoreLiesAtAnotherPlace() public {
        otherScore = scoreLeaf(0, drawnIndex, 900);
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        opening.scoreMilli = 900;
        opening.componentProof[0] = scoreLeaf(0, drawnIndex);
        expectNotItsScore();
        openAs(0, opening);
        openAs(0, openingOf(0));
    }

    function test_RevertWhen_TheRootIsAScoreAlone() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        opening.componentProof = new bytes32[](0);
        expectNotItsScore();
        openAs(0, opening);
    }

    function test_RevertWhen_TheScoreIsNotTheBallots() public {
        play(500, 500, 500);
        IOpenings.Opening memory opening = openingOf(0);
        opening.scoreMilli = 501;
        expectNotItsScore();
        openAs(0, opening);
        opening = openingOf(0);
        opening.scoreMilli = 1001;
        expectNotItsScore();
        openAs(0, opening);
    }

    /// @dev With any votes and scores, each seat is paid by the formula in its plain form.
    function testFuzz_PaysByDistance(uint16[3] memory leaf, uint16[3] memory vote) public {
        // Close together, so that all that matters happens.
        for (uint256 i = 0; i < 3; ++i) {
            cast[i] = uint16(bound(vote[i], 470, 530));
            leaf[i] = uint16(bound(leaf[i], 570, 630));
        }
        play(leaf[0], leaf[1], leaf[2]);
        uint16 settled = medianOf(cast[0], cast[1], cast[2]);
        uint256[] memory opened = new uint256[](3);
        uint256 count = 0;
        for (uint256 i = 0; i < 3; ++i) {
            IOpenings.Opening memory opening = openingOf(i);
            if (apart(cast[i], settled) > 25) expectDisagrees(i);
            else opened[count++] = i;
            openAs(i, opening);
        }
        enterRound(5);
        openings.close(0, 0);
        // The lower median of two is the lower.
        uint16 median =
            count == 3 ? medianOf(leaf[0], leaf[1], leaf[2]) : medianOf(0, leaf[opened[0]], leaf[opened[1]]);
        uint256 sum = 0;
        for (uint256 i = 0; i < 3; ++i) {
            uint256 voteApart = apart(cast[i], settled);
            bool isPaid = count > 1 && voteApart <= 25 && apart(leaf[i], median) <= 25;
            uint256 paidWei = isPaid ? (40 ether * (26 - voteApart)) / 26 : 0;
            vm.assertEq(openings.earnedOf(evaluators[i]), paidWei);
            sum += paidWei;
        }
        vm.assertLe(sum, 120 ether);
    }

    function apart(uint16 a, uint16 b) internal pure returns (uint256 milli) {
        return a > b ? a - b : b - a;
    }

    function medianOf(uint16 a, uint16 b, uint16 c) internal pure returns (uint16 median) {
        if (a > b) (a, b) = (b, a);
        if (b > c) (b, c) = (c, b);
        return a > b ? a : b;
    }

    function expectNotRevealed(uint256 evaluator) internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotRevealed.selector, 0, evaluators[evaluator]));
    }

    function expectNotSeatAccount(address account) internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotSeatAccount.selector, evaluators[0], account));
    }

    function expectDisagrees(uint256 evaluator) internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_VoteDisagrees.selector, 0, evaluators[evaluator]));
    }

    function expectNotItsScore() internal {
        vm.expectRevert(abi.encodeWithSelector(IOpenings.Openings_NotItsScore.selector, 0, evaluators[0]));
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IEarnings} from "../src/interfaces/IEarnings.sol";
import {INectar} from "../src/interfaces/INectar.sol";
import {VotesFixture} from "./VotesFixture.sol";

contract NectarTest is VotesFixture {
    address internal constant BOB = address(0xB0B);

    function test_NamesItself() public view {
        vm.assertEq(nectar.name(), "Nectar");
        vm.assertEq(nectar.symbol(), "NECTAR");
        vm.assertEq(nectar.decimals(), 18);
        vm.assertEq(nectar.totalSupply(), 0);
        vm.assertEq(address(nectar.peerRegistry()), address(registry));
        vm.assertEq(address(nectar.rewardVotes()), address(votes));
        vm.assertEq(votes.EMISSION_WEI(), 1_000 ether);
        vm.assertEq(votes.TOLERANCE_MILLI(), 25);
    }

    function test_APeerEarnsItsShareOfARoundOnceThatIsFinal() public {
        settleTwo(0, 300, 100);
        vm.assertEq(votes.earnedOf(solvers[0]), 0);
        enterRound(4);
        vm.assertEq(votes.earnedOf(solvers[0]), 750 ether);
        vm.assertEq(votes.earnedOf(solvers[1]), 250 ether);
        vm.assertEq(votes.earnedOf(solvers[2]), 0);
        vm.assertEq(nectar.claimable(solvers[1]), 250 ether);
    }

    function test_MintsToThePeersAccountWhoeverClaims() public {
        settleTwo(0, 300, 100);
        enterRound(4);
        vm.expectEmit(address(nectar));
        emit INectar.NectarClaimed(solvers[0], accountNamed(200), 750 ether);
        vm.prank(BOB);
        vm.assertEq(nectar.claim(solvers[0]), 750 ether);
        vm.assertEq(nectar.balanceOf(accountNamed(200)), 750 ether);
        vm.assertEq(nectar.claimedOf(solvers[0]), 750 ether);
        vm.recordLogs();
        vm.assertEq(nectar.claim(solvers[0]), 0);
        vm.assertEq(nectar.claim(solvers[2]), 0);
        vm.assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_RevertWhen_ThePeerIsUnknown() public {
        vm.expectRevert(abi.encodeWithSelector(INectar.Nectar_UnknownPeer.selector, bytes32("nobody")));
        nectar.claim(bytes32("nobody"));
    }

    /// @dev Points belong to peers and rounds: the next rounds are played by other rules, and add to them.
    function test_PointsAndPayCarryOverWhereTheEnvironmentChanges() public {
        rounds.setEnvironment(6, keccak256("another"));
        settleTwo(0, 300, 100);
        enterRound(5);
        enterRound(6);
        vm.assertEq(rounds.environmentOf(0), ENVIRONMENT);
        vm.assertEq(rounds.environmentOf(6), keccak256("another"));
        vm.assertEq(votes.points(solvers[0]), 300);
        vm.assertEq(votes.earnedOf(solvers[0]), 750 ether);
        settleTwo(6, 300, 100);
        enterRound(10);
        vm.assertEq(votes.points(solvers[0]), 600);
        vm.assertEq(votes.earnedOf(solvers[0]), 1_500 ether);
    }

    /// @dev The ring has forgotten round 0 by then; what it earned is kept.
    function test_AClaimNeverExpires() public {
        settleTwo(0, 300, 100);
        for (uint64 round = 6; round <= 24; round += 6) {
            enterRound(round - 1);
            enterRound(round);
            settleTwo(round, 150, 50);
        }
        enterRound(200);
        vm.assertEq(nectar.claim(solvers[0]), 5 * 750 ether);
        vm.assertEq(nectar.claim(solvers[1]), 5 * 250 ether);
    }

    /// @dev The first solver works in one round of three, and scores what the others do. The ninth round is an outage, and
    /// does not count.
    function test_AScorePaysAtMostFiveQuartersOfTheMeanOfTheLastEight() public {
        for (uint64 i = 0; i < 9; ++i) playThree(4 * i, i % 3 == 0, i == 8);
        uint256 before = votes.earnedOf(solvers[0]);
        uint256 beforeOther = votes.earnedOf(solvers[1]);
        playThree(36, true, false);
        enterRound(40);
        // Two of the seven before, and this one: five quarters of 150, in 32nds, next to two whole 400.
        uint256 total = 6_000 + 2 * 12_800;
        vm.assertEq(votes.earnedOf(solvers[0]) - before, uint256(1_000 ether * 6_000) / total);
        vm.assertEq(votes.earnedOf(solvers[1]) - beforeOther, uint256(1_000 ether * 12_800) / total);
    }

    /// @dev Of three shards one is heard, so that the round does not count, but its scores are paid.
    function test_AScoreInAnOutageWeighsByTheSameRounds() public {
        bytes32[] memory others = new bytes32[](62);
        for (uint256 i = 0; i < 62; ++i) others[i] = enrol(1_000 + i, accountNamed(1_000 + i));
        for (uint64 i = 0; i < 9; ++i) playThree(4 * i, i == 0, false);
        enterRound(36);
        (uint256 before, uint256 beforeOther) = (votes.earnedOf(solvers[0]), votes.earnedOf(solvers[1]));
        for (uint256 i = 0; i < 3; ++i) commitRollouts(solvers[i]);
        for (uint256 i = 0; i < 62; ++i) commitRollouts(others[i]);
        uint16[] memory scores = new uint16[](32);
        (scores[0], scores[1], scores[2]) = (400, 400, 400);
        voteAlike(36, scores);
        vm.assertTrue(votes.isOutage(36));
        votes.settle(36, 0, firstSolvers(3));
        enterRound(40);
        // The first peer's score is eight counted rounds old.
        uint256 total = 2_000 + 2 * 12_800;
        vm.assertEq(votes.earnedOf(solvers[0]) - before, uint256(1_000 ether * 2_000) / total);
        vm.assertEq(votes.earnedOf(solvers[1]) - beforeOther, uint256(1_000 ether * 12_800) / total);
    }

    /// @dev Two of three are kept from the chain: the third earns what it did, and the rest is not minted.
    function test_WhoIsDrivenAwayLeavesNothingToThoseWhoStay() public {
        for (uint64 i = 0; i < 9; ++i) playThree(4 * i, true, false);
        (, uint256 meanWeight) = weightsIn(32);
        enterRound(36);
        uint256 before = votes.earnedOf(solvers[0]);
        commitRollouts(solvers[0]);
        voteAlike(36, scoresOf(400));
        vm.expectEmit(address(votes));
        emit IEarnings.RoundCounted(36, 10, uint40((meanWeight * 8 + 3 * 12_800) / 9));
        votes.settle(36, 0, firstSolvers(1));
        enterRound(40);
        (uint256 weight, uint256 held) = weightsIn(36);
        vm.assertEq(weight, 12_800);
        vm.assertEq(held, (meanWeight * 8 + 3 * 12_800) / 9);
        vm.assertEq(votes.earnedOf(solvers[0]) - before, uint256(1_000 ether * 12_800) / held);
        // Far below all that is emitted, and near a third of it: scores began to weigh in full seven rounds ago.
        vm.assertLe(votes.earnedOf(solvers[0]) - before, 500 ether);
    }

    /// @dev And where most shards fall silent, those of the one that is heard.
    function test_AnOutageLeavesNothingToThoseWhoAreHeard() public {
        for (uint64 i = 0; i < 9; ++i) playThree(4 * i, true, false);
        bytes32[] memory others = new bytes32[](64);
        for (uint256 i = 0; i < 64; ++i) others[i] = enrol(1_000 + i, accountNamed(1_000 + i));
        enterRound(36);
        enterRound(37);
        enterRound(38);
        uint256 before = votes.earnedOf(solvers[0]);
        commitRollouts(solvers[0]);
        for (uint256 i = 0; i < 64; ++i) commitRollouts(others[i]);
        uint16[] memory scores = new uint16[](32);
        scores[0] = 400;
        voteAlike(38, scores);
        vm.assertTrue(votes.isOutage(38));
        votes.settle(38, 0, firstSolvers(1));
        enterRound(42);
        (uint256 weight, uint256 held) = weightsIn(38);
        vm.assertEq(votes.earnedOf(solvers[0]) - before, uint256(1_000 ether * weight) / held);
        vm.assertLe(3 * 8_000, held);
    }

    function playThree(uint64 round, bool isFirstThere, bool isOutage) internal {
        if (round != 0) enterRound(round);
        for (uint256 i = isFirstThere ? 0 : 1; i < 3; ++i) commitRollouts(solvers[i]);
        if (!isOutage) voteAndReveal(round, isFirstThere ? scoresOf(400, 400, 400) : scoresOf(400, 400));
        for (uint64 later = isOutage ? 1 : 3; later < 4; ++later) enterRound(round + later);
        bytes32[] memory page = firstSolvers(2);
        (page[0], page[1]) = (solvers[1], solvers[2]);
        votes.settle(round, 0, page);
        if (isFirstThere) votes.settle(round, 0, firstSolvers(1));
    }

    /// @dev However well it agrees: pay is for what is opened.
    function test_AVoteAloneEarnsNothing() public {
        commitRollouts(solvers[0]);
        voteOn(0, scoresOf(500, 500, 500));
        votes.settle(0, 0, firstSolvers(1));
        enterRound(4);
        for (uint256 i = 0; i < 3; ++i) vm.assertEq(nectar.claimable(evaluators[i]), 0);
    }

    function test_BurningLowersTheSupplyAndNotWhatWasClaimed() public {
        settleTwo(0, 300, 100);
        enterRound(4);
        nectar.claim(solvers[0]);
        vm.prank(accountNamed(200));
        nectar.burn(50 ether);
        vm.assertEq(nectar.totalSupply(), 700 ether);
        vm.assertEq(nectar.claimedOf(solvers[0]), 750 ether);
    }

    function test_TakesAPermit() public {
        Wallet memory owner = walletOf(77);
        (uint8 v, bytes32 r, bytes32 s) = signPermit(owner, 0);
        nectar.permit(owner.addr, BOB, 5, START + 1, v, r, s);
        vm.assertEq(nectar.allowance(owner.addr, BOB), 5);
        vm.assertEq(nectar.nonces(owner.addr), 1);
    }

    function test_RevertWhen_APermitIsUsedTwiceOrLateOrAnothers() public {
        Wallet memory owner = walletOf(77);
        (uint8 v, bytes32 r, bytes32 s) = signPermit(walletOf(78), 0);
        expectWrongSigner(owner.addr, v, r, s, digestOfPermit(owner.addr, 0));
        nectar.permit(owner.addr, BOB, 5, START + 1, v, r, s);
        (v, r, s) = signPermit(owner, 0);
        nectar.permit(owner.addr, BOB, 5, START + 1, v, r, s);
        expectWrongSigner(owner.addr, v, r, s, digestOfPermit(owner.addr, 1));
        nectar.permit(owner.addr, BOB, 5, START + 1, v, r, s);
        vm.warp(START + 2);
        vm.expectRevert(abi.encodeWithSelector(ERC20Permit.ERC2612ExpiredSignature.selector, START + 1));
        nectar.permit(owner.addr, BOB, 5, START + 1, v, r, s);
    }

    function test_OthersMoveAndBurnWhatTheyAreAllowed() public {
        settleTwo(0, 300, 100);
        enterRound(4);
        nectar.claim(solvers[0]);
        address owner = accountNamed(200);
        vm.prank(owner);
        nectar.approve(BOB, 30 ether);
        vm.prank(BOB);
        nectar.transferFrom(owner, BOB, 10 ether);
        vm.prank(BOB);
        nectar.burnFrom(owner, 20 ether);
        vm.assertEq(nectar.balanceOf(BOB), 10 ether);
        vm.assertEq(nectar.totalSupply(), 730 ether);
        bytes memory refusal = abi.encodeWithSignature(
            "ERC20InsufficientAllowance(address,uint256,uint256)",
            BOB,
            0,
            1
        );
        vm.expectRevert(refusal);
        vm.prank(BOB);
        nectar.burnFrom(owner, 1);
        vm.expectRevert(refusal);
        vm.prank(BOB);
        nectar.transferFrom(owner, BOB, 1);
    }

    /// @dev Against the plain formula; what rounding leaves is never minted.
    function testFuzz_SharesAreRoundedDown(uint16 first, uint16 second) public {
        (first, second) = (uint16(bound(first, 0, 1000)), uint16(bound(second, 0, 1000)));
        settleTwo(0, first, second);
        enterRound(4);
        uint256 total = uint256(first) + second;
        vm.assertEq(votes.earnedOf(solvers[0]), total == 0 ? 0 : (1_000 ether * uint256(first)) / total);
        uint256 earned = votes.earnedOf(solvers[0]) + votes.earnedOf(solvers[1]);
        vm.assertTrue(earned <= 1_000 ether && (total == 0 || earned + 2 > 1_000 ether));
    }

    function signPermit(Wallet memory signer, uint256 nonce) internal view returns (uint8 v, bytes32 r, bytes32 s) {
        return vm.sign(signer.privateKey, digestOfPermit(walletOf(77).addr, nonce));
    }

    /// @dev 5 wei for Bob until a second after the start.
    function digestOfPermit(address owner, uint256 nonce) internal view returns (bytes32 digest) {
        bytes32 typehash = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 words = keccak256(abi.encode(typehash, owner, BOB, 5, nonce, START + 1));
        return keccak256(abi.encodePacked(hex"1901", nectar.DOMAIN_SEPARATOR(), words));
    }

    function expectWrongSigner(address owner, uint8 v, bytes32 r, bytes32 s, bytes32 checked) internal {
        vm.expectRevert(
            abi.encodeWithSelector(ERC20Permit.ERC2612InvalidSigner.selector, ecrecover(checked, v, r, s), owner)
        );
    }

    /// @dev The first two solvers get these scores of the current round, which then is the third before.
    function settleTwo(uint64 round, uint16 first, uint16 second) internal {
        commitRollouts(solvers[0]);
        commitRollouts(solvers[1]);
        voteAlike(round, scoresOf(first, second));
        votes.settle(round, 0, firstSolvers(2));
    }
}
